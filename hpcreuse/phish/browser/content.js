"use strict";

// Looks at the page when it is there, and again when it has changed: scripts may write a copy late.

const QUIET_MILLISECONDS = 500;
const MOST_LOOKS = 6;

let looks = 0;
let due = 0;

async function look() {
  looks += 1;
  const chunks = chunksOf(document, OPTIONS);
  try {
    await chrome.runtime.sendMessage({ ask: "check", url: location.href, chunks });
  } catch (error) {
    // The extension was reloaded: this page belongs to the old one
    observer.disconnect();
  }
}

function lookSoon() {
  if (looks >= MOST_LOOKS) observer.disconnect();
  else {
    clearTimeout(due);
    due = setTimeout(look, QUIET_MILLISECONDS);
  }
}

const observer = new MutationObserver(lookSoon);

chrome.runtime.onMessage.addListener((message, _sender, respond) => {
  if (message.ask === "chunks") respond(chunksOf(document, OPTIONS));
});

look();
observer.observe(document, { subtree: true, childList: true, characterData: true });
