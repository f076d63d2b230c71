// What the page knows of the manager: the newest picture, which comes over a stream of server-sent events,
// and how old it is. Nothing is asked for again and again. A token is kept here, in the page's memory alone.
import { at, short } from "./words.js";

const PATIENCE_MS = 7000;
const OLD_MS = 12000; // a picture comes every five seconds at the latest
const AGAIN_MS = 2000;

let token = null;
let sees = false; // what the token may see, unless that was refused
export const hasToken = () => token !== null;
export function setToken(text) {
  token = text;
  sees = text !== null;
}

let stream = null;
let came = null; // when the newest picture came
let wrong = null; // what was wrong with the stream or an answer last
let shown = () => {};

export async function ask(path, options = {}) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(PATIENCE_MS), ...options });
  const body = await answer.json().catch(() => ({ message: `the manager answered ${answer.status}` }));
  if (answer.ok) return body;
  const error = new Error(body.message || `the manager answered ${answer.status}`);
  error.word = body.error;
  throw error;
}

export const bearer = (text = token) => ({ method: "POST", credentials: "omit", headers: { Authorization: `Bearer ${text}` } });

// A part of what is shown: all that the token may see of it, or what is seen without one.
export async function read(what, parameters = {}) {
  const open = () => ask(`/api/v1/${what}?${new URLSearchParams(parameters)}`);
  if (!sees) return open();
  try {
    return await ask(`/api/v1/read?${new URLSearchParams({ what, ...parameters })}`, bearer());
  } catch (error) {
    if (error.word !== "forbidden") throw error;
    sees = false;
    return open();
  }
}
export const seesMore = () => sees;

function open() {
  if (stream !== null && stream.readyState !== EventSource.CLOSED) return;
  stream = new EventSource("/api/events");
  stream.onmessage = (event) => {
    came = Date.now();
    wrong = null;
    tellAge();
    shown(JSON.parse(event.data));
  };
  // The browser comes back by itself, unless it was refused.
  stream.onerror = () => {
    wrong = "the connection to the manager is lost";
    if (came === null || Date.now() - came > OLD_MS) wrong = "no answer from the manager";
    tellAge();
    if (stream.readyState === EventSource.CLOSED) setTimeout(open, AGAIN_MS);
  };
}

function close() {
  if (stream) stream.close();
  stream = null;
}

// One text says how old the page is; the notice beside it appears, and is read out, only when it is too old.
export function tellAge() {
  const age = came === null ? null : Date.now() - came;
  const gone = wrong !== null || age === null || age > OLD_MS;
  at("age").textContent = age === null ? "nothing has come yet" : age < 6000 ? "live" : `${short(age / 1000)} old`;
  at("age").className = gone && !document.hidden ? "bad" : "";
  const notice = at("trouble");
  const late = age !== null && age > OLD_MS;
  if (wrong === null && !late) notice.hidden = true;
  else if (notice.hidden) {
    notice.textContent = `${wrong ? wrong[0].toUpperCase() + wrong.slice(1) : "Nothing has come from the manager"}: `
      + "what is shown may be out of date. The page comes back by itself.";
    notice.hidden = false;
  }
}

// `onPicture` is called with each picture. A page that is not seen follows nothing.
export function follow(onPicture) {
  shown = onPicture;
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  setInterval(tellAge, 1000);
  open();
}
