"use strict";

// Looks at the page when it is there, and again when it has changed: scripts may write a copy late.

// The next look comes the later the more there were: a page that never rests costs little, and is never left alone
const SOONEST_MILLISECONDS = 500;
const LATEST_MILLISECONDS = 30000;

let wait = SOONEST_MILLISECONDS;
let due = false;

async function look() {
  due = false;
  const chunks = chunksOf(document, OPTIONS);
  try {
    await chrome.runtime.sendMessage({ ask: "check", url: location.href, chunks });
  } catch (error) {
    // The extension was reloaded: this page belongs to the old one
    observer.disconnect();
  }
}

function lookSoon() {
  if (due) return;
  due = true;
  setTimeout(look, wait);
  wait = Math.min(2 * wait, LATEST_MILLISECONDS);
}

const observer = new MutationObserver(lookSoon);

chrome.runtime.onMessage.addListener((message, _sender, respond) => {
  if (message.ask === "chunks") respond(chunksOf(document, OPTIONS));
});

look();
observer.observe(document, { subtree: true, childList: true, characterData: true });
