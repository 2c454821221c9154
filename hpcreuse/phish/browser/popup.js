"use strict";

async function show() {
  // ?tab=NUMBER names another than the one in front
  const asked = Number(new URLSearchParams(location.search).get("tab"));
  const tab = asked ? await chrome.tabs.get(asked) : (await chrome.tabs.query({ active: true, currentWindow: true }))[0];
  const button = document.getElementById("add");
  const done = document.getElementById("done");
  if (!/^https?:/.test(tab.url ?? "")) {
    button.disabled = true;
    done.textContent = "Only pages of the web can be added.";
    return;
  }
  document.getElementById("site").textContent = new URL(tab.url).hostname;
  button.addEventListener("click", async () => {
    await chrome.runtime.sendMessage({ ask: "add tab", tab: tab.id });
    done.textContent = "Added. Copies of this page elsewhere will be stopped.";
  });
}

show();
