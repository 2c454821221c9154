"use strict";

async function show() {
  const { id: tab } = await chrome.tabs.getCurrent();
  const { [`blocked:${tab}`]: page } = await chrome.storage.session.get(`blocked:${tab}`);
  if (!page) return;
  document.getElementById("page").textContent = page.url;
  document.getElementById("source").textContent = page.source || "a site on your list";
  document.getElementById("counts").textContent = `${page.matched} of ${page.chunks} paragraphs are the same, letter by letter.`;
  const ask = (id, what) =>
    document.getElementById(id).addEventListener("click", () => chrome.runtime.sendMessage({ ask: what, tab }));
  ask("on", "go on");
  ask("add", "add blocked");
  document.getElementById("back").addEventListener("click", () => location.replace("about:blank"));
  document.body.dataset.ready = "yes";
}

show();
