// A terminal in a page: carries keys and what is drawn, finds its tab again, and does for the program what only a browser can.
// The terminal is made by textual.js, which runs after this file: it talks to a WebSocket, and gets the one that is made here.

// Styles that are made carry the page's nonce, and styles of elements are set without attributes, so that the policy of this
// page needs no exception.
const nonce = document.querySelector('meta[name="nonce"]').content;
const make = Document.prototype.createElement;
Document.prototype.createElement = function (name, ...rest) {
  const made = make.call(this, name, ...rest);
  if (String(name).toLowerCase() === "style") made.nonce = nonce;
  return made;
};
const attribute = Element.prototype.setAttribute;
Element.prototype.setAttribute = function (name, value) {
  if (name === "style") this.style.cssText = value;
  else attribute.call(this, name, value);
};

// Lines of text are drawn as text, which needs no graphics card, and measured as text, in the fonts of page.css.
const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return kind === "webgl2" ? null : context.call(this, kind, ...rest);
};
delete window.OffscreenCanvas;

// What is drawn opens no window, and nothing reads the clipboard; the terminal writes what the program copies. The address gives
// textual.js no orders.
window.open = () => null;
if (navigator.clipboard) {
  const write = navigator.clipboard.writeText.bind(navigator.clipboard);
  const atClick = (text) => () => write(text).catch(() => {});
  navigator.clipboard.readText = () => Promise.reject(new Error("not read here"));
  navigator.clipboard.writeText = (text) =>
    write(text).catch(() => tell("The browser allows copying only at a click.", "Copy", atClick(text), 20));
}
history.replaceState(null, "", location.pathname);

const ENDED = 4000, TAKEN = 4001, PIECE = 16384;
// Reloading, full screen, the browser's own tools: see tui/keyboard/browser_keys.py.
const KEPT = new Set(["F5", "F11", "F12"]);
const RESET = "\x1bc\x1b]10;#e6e6e6\x1b\\\x1b]11;#121418\x1b\\";
const shows = location.pathname === "/oncall" ? "oncall" : "explorer";
const REMEMBERED = `callboard-tab-${shows}`;
const encoder = new TextEncoder();

// The terminal

let columns = 80, lines = 24;
let terminal = null;

const RealSocket = window.WebSocket;
window.WebSocket = class extends EventTarget {
  constructor(address) {
    super();
    terminal = this;
    const asked = new URL(address, location.href).searchParams;
    columns = Number(asked.get("width")) || columns;
    lines = Number(asked.get("height")) || lines;
    // It listens once this has returned.
    queueMicrotask(() => {
      this.dispatchEvent(new Event("open"));
      reset();
      focus();
      connect();
    });
  }

  send(text) {
    const [kind, value] = JSON.parse(text);
    if (kind === "stdin") send(encoder.encode(value));
    else if (kind === "resize") {
      ({ width: columns, height: lines } = value);
      size();
    }
    // "focus" and "blur" come as keys too, where the program asks for them; nobody waits for the answer to "ping".
  }
};

function draw(bytes) {
  terminal.dispatchEvent(new MessageEvent("message", { data: bytes }));
}

function reset() {
  draw(encoder.encode(RESET));
}

function focus() {
  document.querySelector(".xterm-helper-textarea").focus();
}

const notice = document.getElementById("notice");
const words = document.getElementById("words");
const button = document.getElementById("button");
let forgetting = 0;

function tell(text, label = "", action = null, seconds = 0) {
  clearTimeout(forgetting);
  words.textContent = text;
  button.hidden = !label;
  button.textContent = label;
  button.onclick = () => { hush(); action?.(); };
  notice.hidden = false;
  if (label && action === begin) button.focus();
  if (seconds) forgetting = setTimeout(hush, seconds * 1000);
}

function hush() {
  notice.hidden = true;
  focus();
}

addEventListener("load", () => setTimeout(() => {
  if (!terminal) tell("The terminal of this page could not be started. Whoever serves it may install callboard[serve] anew.");
}));

// The connection

let socket = null;
let tries = 0;

function connect() {
  const address = new URL("/tab", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const before = sessionStorage.getItem(REMEMBERED) ?? "";
  const about = { tab: before, shows, columns, lines };
  address.search = new URLSearchParams(about).toString();
  const one = socket = new RealSocket(address);
  let opened = false;
  one.binaryType = "arraybuffer";
  one.onopen = () => { opened = true; tries = 0; hush(); size(); };
  one.onmessage = ({ data }) => {
    if (typeof data !== "string") draw(data);
    else take(JSON.parse(data), before);
  };
  one.onclose = ({ code }) => {
    if (one !== socket) return;
    if (code === ENDED) sessionStorage.removeItem(REMEMBERED);
    else if (code === TAKEN) tell("This tab is shown in another window.", "Show it here", connect);
    else if (opened || tries > 0) again();
    else refused();
  };
}

function again() {
  tries += 1;
  tell("The connection is lost. Trying again…", "Try now", connect);
  setTimeout(() => { if (socket.readyState === RealSocket.CLOSED) connect(); }, Math.min(500 * 2 ** tries, 15000));
}

function refused() {
  tell("Callboard did not let this page in: there may be too many tabs.", "Try again", connect);
}

function begin() {
  sessionStorage.removeItem(REMEMBERED);
  reset();
  connect();
}

function take(message, before) {
  if (message.tab) {
    if (!message.found) reset();
    sessionStorage.setItem(REMEMBERED, message.tab);
    if (before && !message.found) tell("The tab that was here has ended. This is a new one.", "", null, 10);
  } else if (message.saved) {
    const link = document.createElement("a");
    link.href = `/saved/${encodeURIComponent(sessionStorage.getItem(REMEMBERED))}/${encodeURIComponent(message.saved.name)}`;
    link.download = message.saved.name;
    link.click();
  } else if (message.ended) {
    tell(message.ended, "Start again", begin);
  }
}

function send(bytes) {
  if (socket?.readyState !== RealSocket.OPEN) return;
  for (let start = 0; start < bytes.length; start += PIECE) socket.send(bytes.subarray(start, start + PIECE));
}

function size() {
  if (socket?.readyState === RealSocket.OPEN) socket.send(JSON.stringify({ size: [columns, lines] }));
}

// What is typed: which keys are the program's, and which the browser keeps

const isMac = navigator.platform.startsWith("Mac");

document.addEventListener("keydown", (event) => {
  if (!event.target.closest("#terminal")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (isKept(event, key)) {
    event.stopImmediatePropagation();
    return;
  }
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  if (isMac && event.altKey && !event.ctrlKey && letter) {
    // There Option writes other characters, where it should be Alt.
    event.stopImmediatePropagation();
    event.preventDefault();
    send(encoder.encode("\x1b" + (event.shiftKey ? letter : letter.toLowerCase())));
    return;
  }
  // Printing, finding, bookmarks, menus: here these are the program's keys. AltGr writes characters.
  const isCommand = (event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph");
  if (isCommand || /^F\d+$/.test(key)) event.preventDefault();
}, true);

function isKept(event, key) {
  if (event.metaKey || (KEPT.has(key) && !event.shiftKey)) return true;
  if (!event.ctrlKey || event.altKey) return false;
  if (key === "r" || "+-=0".includes(key)) return true;
  if (event.shiftKey && "ijcrtnw".includes(key)) return true;
  return key === "v"; // pasting is the browser's; the text comes as one paste
}
