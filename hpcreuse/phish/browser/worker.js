"use strict";

// Knows the labels and what the user added; hashes chunks, since pages without https have no crypto.subtle.

importScripts("options.js");

const HASHES = { sha1: "SHA-1", sha256: "SHA-256" };

let loading = null;

/** Read the labels: sorted digests in one file, for each the number of its source in another. */
function labels() {
  loading ??= (async () => {
    const read = async (name) => (await fetch(chrome.runtime.getURL(name))).arrayBuffer();
    const [digests, numbers, text] = await Promise.all(["labels.bin", "sources.bin", "sources.json"].map(read));
    return {
      digests: new Uint8Array(digests),
      numbers: new Uint32Array(numbers),
      sources: JSON.parse(new TextDecoder().decode(text)),
    };
  })();
  return loading;
}

/** Find a digest among the sorted ones; give its place, or -1. */
function find(sorted, digest) {
  const width = digest.length;
  let low = 0;
  let high = sorted.length / width;
  while (low < high) {
    const middle = (low + high) >> 1;
    let order = 0;
    for (let i = 0; i < width && order === 0; i += 1) order = sorted[middle * width + i] - digest[i];
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/** Hash the chunks that are long enough. */
async function digestsOf(chunks, least = OPTIONS.min_length) {
  const encoder = new TextEncoder();
  const long = chunks.map((chunk) => encoder.encode(chunk)).filter((bytes) => bytes.length >= least);
  return Promise.all(long.map(async (bytes) => new Uint8Array(await crypto.subtle.digest(HASHES[OPTIONS.digest], bytes))));
}

function hex(digest) {
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the user added: digests with the page each comes from, and the sites that may show them. */
async function added() {
  const { digests = {}, sites = [] } = await chrome.storage.local.get(["digests", "sites"]);
  return { digests, sites };
}

function siteOf(url) {
  return new URL(url).hostname.replace(/^www\./, "");
}

/** Tell whether a host is one of these sites, or below it. */
function isAmong(host, sites) {
  return sites.some((site) => host === site || host.endsWith(`.${site}`));
}

/** Hold digests against the labels; name the original that most come from. */
async function match(digests) {
  const known = await labels();
  const mine = await added();
  const counts = new Map();
  let matched = 0;
  for (const digest of digests) {
    const place = find(known.digests, digest);
    const source = place >= 0 ? known.sources[known.numbers[place]] : mine.digests[hex(digest)];
    if (source !== undefined) {
      matched += 1;
      counts.set(source, (counts.get(source) ?? 0) + 1);
    }
  }
  const [source = ""] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([name]) => name);
  return { matched, source };
}

/** Judge a page as `hpcreuse phish` does: own, clean or phish. */
async function judge(url, chunks) {
  const host = new URL(url).hostname;
  const digests = await digestsOf(chunks);
  if (isAmong(host, [...OPTIONS.domains, ...(await added()).sites])) return { verdict: "own", digests };
  const { matched, source } = await match(digests);
  return { verdict: matched ? "phish" : "clean", digests, matched, source };
}

/** Put the warning in the place of a page that is a copy, unless the user went on before. */
async function check({ url, chunks }, tab) {
  const found = await judge(url, chunks);
  const { passed = [] } = await chrome.storage.session.get("passed");
  if (found.verdict !== "phish" || passed.includes(new URL(url).host)) return found.verdict;
  const { source, matched, digests } = found;
  const blocked = { url, source, matched, chunks: digests.length, digests: digests.map(hex) };
  await chrome.storage.session.set({ [`blocked:${tab.id}`]: blocked });
  await chrome.tabs.update(tab.id, { url: chrome.runtime.getURL("warning.html") });
  return "phish";
}

async function goOn({ tab }) {
  const { [`blocked:${tab}`]: page, passed = [] } = await chrome.storage.session.get([`blocked:${tab}`, "passed"]);
  await chrome.storage.session.set({ passed: [...passed, new URL(page.url).host] });
  await chrome.tabs.update(tab, { url: page.url });
}

/** Add a page to the user's labels, and its site to those that may show it. */
async function add(url, hexes) {
  const { digests, sites } = await added();
  for (const digest of hexes) digests[digest] ??= url;
  const site = siteOf(url);
  await chrome.storage.local.set({ digests, sites: sites.includes(site) ? sites : [...sites, site] });
}

async function addBlocked({ tab }) {
  const { [`blocked:${tab}`]: page } = await chrome.storage.session.get(`blocked:${tab}`);
  await add(page.url, page.digests);
  await chrome.tabs.update(tab, { url: page.url });
}

async function addTab({ tab }) {
  const { url } = await chrome.tabs.get(tab);
  const chunks = await chrome.tabs.sendMessage(tab, { ask: "chunks" });
  await add(url, (await digestsOf(chunks)).map(hex));
}

const ANSWERS = { check, "go on": goOn, "add blocked": addBlocked, "add tab": addTab };

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  // Pages reach this only through the content script, which asks for nothing but a check
  if (message.ask !== "check" && sender.origin !== location.origin) return false;
  ANSWERS[message.ask](message, sender.tab).then(respond);
  return true;
});
