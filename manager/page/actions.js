// What the page changes: with a token, after a question that names what is to be done, through the same
// requests as the command line.
import { ask, bearer, hasToken, setToken } from "./feed.js";
import { at, button, make } from "./words.js";

let told = () => {};

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
const mayAct = () => location.protocol === "https:" || LOOPBACK.test(location.hostname);

// One request of docs/protocol.md.
export function request(method, body, token) {
  return ask(`/api/v1/request?method=${encodeURIComponent(method)}`, { ...bearer(token), body: JSON.stringify(body) });
}

// The answer, for those who see and those who listen.
export function say(words, bad) {
  at("said").textContent = words;
  at("said").className = bad ? "notice bad" : "notice";
  at("said").hidden = false;
}

function showToken(you) {
  at("who").textContent = you ? `${you.is_operator ? "operator" : you.may_submit ? "user" : "viewer"}, user id ${you.uid}` : "";
  at("sign-in").hidden = hasToken();
  at("sign-out").hidden = !hasToken();
}

function openSignIn() {
  const dialog = at("token-dialog");
  at("token-wrong").textContent = mayAct() ? ""
    : "This page has come over plain HTTP from another machine, so a token would be readable on the way: use a reverse proxy with TLS on the manager's machine (docs/console.md).";
  at("token").disabled = at("token-take").disabled = !mayAct();
  at("token").value = "";
  dialog.showModal();
}

async function signIn(event) {
  event.preventDefault();
  const given = at("token").value.trim();
  try {
    const hello = await request("hello", {}, given);
    setToken(given);
    at("token").value = "";
    at("token-dialog").close();
    showToken(hello.you);
    say("The token is taken: it is forgotten when this page is closed.");
    told();
  } catch (error) {
    at("token-wrong").textContent = error.message;
  }
}

function signOut() {
  setToken(null);
  showToken(null);
  say("The token is forgotten.");
  told();
}

// What becomes of the jobs: the answer of a dry run.
const fates = (rows) => (rows.length === 0 ? [make("p", "", "No job is concerned.")]
  : [make("ul", "", ...rows.map((row) => make("li", "", `job ${row.job} ${row.name}: ${row.what}${row.text ? `: ${row.text}` : ""}`)))]);

let pending = null;
export async function confirm(action) {
  pending = action;
  at("confirm-words").textContent = action.asks;
  at("confirm-wrong").textContent = "";
  at("confirm-do").textContent = action.does || action.words;
  at("confirm-do").className = action.bad ? "danger" : "primary";
  at("confirm-more").replaceChildren(...(action.more || []));
  at("confirm-do").disabled = false;
  at("confirm-dialog").showModal();
  at("confirm-back").focus();
  if (!action.preview) return;
  try {
    const answer = await request(action.method, { ...action.body, dry_run: true });
    if (pending === action) at("confirm-more").replaceChildren(...fates(answer.jobs));
  } catch (error) {
    at("confirm-wrong").textContent = error.message;
  }
}

async function carryOut() {
  const action = pending;
  at("confirm-do").disabled = true;
  try {
    const answer = await request(action.method, action.body);
    at("confirm-dialog").close();
    say(action.done ? action.done(answer) : `${action.words}: ${doneWords(answer)}.`);
  } catch (error) {
    at("confirm-wrong").textContent = error.message;
    at("confirm-do").disabled = false;
  }
}
const doneWords = (answer) => (answer.job !== undefined ? `job ${answer.job} ${answer.done}`
  : answer.service ? `node ${answer.node} is ${answer.service.replace("_", " ")}` : `node ${answer.node} is drained (${answer.mode})`);

// Buttons for these actions; without a token, the way to one.
export function actions(all, lacking = "Actions need a token…") {
  const row = make("p", "actions");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Actions");
  if (!hasToken()) {
    row.append(button("plain", lacking, "", openSignIn));
    return row;
  }
  for (const action of all) row.append(button(action.bad ? "danger" : "", `${action.words}…`, "", () => confirm(action)));
  return row;
}

// `onToken` is called when there is a token, or none any more.
export function startActions(onToken) {
  told = onToken;
  at("sign-in").addEventListener("click", openSignIn);
  at("sign-out").addEventListener("click", signOut);
  at("token-form").addEventListener("submit", signIn);
  at("token-back").addEventListener("click", () => at("token-dialog").close());
  at("confirm-form").addEventListener("submit", (event) => { event.preventDefault(); carryOut(); });
  at("confirm-back").addEventListener("click", () => at("confirm-dialog").close());
  showToken(null);
}
