"use strict";

// A page to chunks, by the rules of dom mode in Python (hpcreuse/page/dom.py): the DOM as HTML, whitespace normalised, cut
// before each delimiter tag. Both must give the same bytes: tests/test_phish_extension.py holds real pages against each other.

const HTML = "http://www.w3.org/1999/xhtml";
const VOID = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(" "),
);
const RAW = new Set("style script xmp iframe noembed noframes plaintext".split(" "));

function escapeText(text) {
  return text.replace(/&/g, "&amp;").replace(/\u00a0/g, "&nbsp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function escapeAttribute(text) {
  return escapeText(text).replace(/"/g, "&quot;");
}

/** Write a node and all below it into `out`. Where scripts run, the content of noscript is text as it stood in the page. */
function write(node, raw, doctype, out) {
  switch (node.nodeType) {
    case Node.ELEMENT_NODE: {
      const html = node.namespaceURI === HTML;
      const name = html ? node.localName : node.nodeName;
      out.push("<", name);
      for (const { name: key, value } of node.attributes) out.push(" ", key, '="', escapeAttribute(value), '"');
      out.push(">");
      if (html && VOID.has(name)) return;
      for (const child of (html && name === "template" ? node.content : node).childNodes) write(child, raw, doctype, out);
      out.push("</", name, ">");
      return;
    }
    case Node.TEXT_NODE: {
      const parent = node.parentNode;
      const verbatim = parent.namespaceURI === HTML && raw.has(parent.localName);
      out.push(verbatim ? node.data : escapeText(node.data));
      return;
    }
    case Node.COMMENT_NODE:
      out.push("<!--", node.data, "-->");
      return;
    case Node.PROCESSING_INSTRUCTION_NODE:
      out.push("<?", node.target, " ", node.data, "?>");
      return;
    case Node.DOCUMENT_TYPE_NODE:
      out.push(doctype(node));
  }
}

function html(page, raw, doctype) {
  const out = [];
  for (const child of page.childNodes) write(child, raw, doctype, out);
  return out.join("");
}

/** Give the DOM of a document as HTML, as a parser sees it that runs no scripts: noscript has elements in it. */
function serialize(page) {
  const short = (node) => `<!DOCTYPE ${node.name}>`;
  const simple = html(page, RAW, short);
  if (!simple.includes("<noscript")) return simple;
  // With its public identifier, which decides how some pages are parsed
  const asRun = html(page, new Set([...RAW, "noscript"]), (node) => new XMLSerializer().serializeToString(node));
  return html(new DOMParser().parseFromString(asRun, "text/html"), RAW, short);
}

/** Runs of spaces and tabs become one space, CR and LF are removed, ends are trimmed (CCR 4.4). */
function normalize(text) {
  return text.replace(/[ \t]+/g, " ").replace(/[\r\n]/g, "").replace(/^[ \v\f]+|[ \v\f]+$/g, "");
}

/** Cut a text before each delimiter tag. */
function cut(text, options) {
  const ends = options.tag_ends === "html" ? " \\t>/\\n\\r\\f" : " \\t>/";
  const tag = new RegExp(`<(?:${options.tags.replace(/,/g, "|")})(?=[${ends}])`, "gi");
  const starts = Array.from(text.matchAll(tag), (match) => match.index).filter((start) => start > 0);
  const bounds = [0, ...starts, text.length];
  const chunks = text ? bounds.slice(1).map((end, i) => text.slice(bounds[i], end)) : [];
  return options.normalize === "whitespace" ? chunks.map(normalize) : chunks;
}

/** Give the chunks of a document. */
function chunksOf(page, options) {
  return cut(normalize(serialize(page)), options);
}
