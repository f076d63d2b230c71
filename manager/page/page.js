// The status page: requests the state from the manager every two seconds and draws it. Untrusted text is inserted as text,
// never as markup.
"use strict";

const REFRESH_MS = 2000;
const PATIENCE_MS = 5000;
const at = (id) => document.getElementById(id);

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

function short(seconds) {
  if (seconds === null) return "–";
  const s = Math.round(seconds);
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${String(s % 60).padStart(2, "0")}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h${String(Math.floor((s % 3600) / 60)).padStart(2, "0")}m`;
  return `${Math.floor(s / 86400)}d${String(Math.floor((s % 86400) / 3600)).padStart(2, "0")}h`;
}

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; ++unit) value /= 1024;
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

const decimals = (value) => (value === null ? "–" : value.toFixed(2));
const amount = (value) => String(Math.round(value * 100) / 100);
const tint = (state) =>
  ["running", "completed", "up"].includes(state) ? "good"
    : ["failed", "timed_out", "down", "cancelled", "fenced", "unreachable"].includes(state) ? "bad"
      : ["pending", "starting", "ending"].includes(state) ? "" : "wait";
const counts = (named) =>
  Object.entries(named).filter(([, n]) => n > 0).map(([word, n]) => `${n} ${word}`).join(", ") || "none";

// A colour for each job, the same wherever it is drawn.
const hue = (job) => Math.round((job * 137.5) % 360);

function plainBar(fraction, className) {
  const fill = make("i", "");
  fill.style.width = `${Math.min(100, Math.max(0, fraction * 100))}%`;
  fill.style.display = "block";
  return make("div", `bar ${className}`, fill);
}

function nodeCard(node, jobs) {
  const bar = make("div", "bar");
  for (const job of jobs) {
    if (job.yield === null) continue;
    for (const share of job.nodes) {
      if (share.node !== node.node || node.cpus <= 0) continue;
      const fraction = (job.cpus * job.yield * share.tasks) / node.cpus;
      const part = make("button", "", fraction > 0.08 ? job.job : "");
      part.type = "button";
      part.style.width = `${fraction * 100}%`;
      part.style.setProperty("--hue", hue(job.job));
      part.title = `job ${job.job} ${job.name}: ${(fraction * 100).toFixed(1)} % of ${node.node}`;
      part.setAttribute("aria-label", part.title);
      part.addEventListener("click", () => choose(job.job));
      bar.append(part);
    }
  }
  const memory = node.memory_bytes > 0 ? node.memory_used_bytes / node.memory_bytes : 0;
  const wanted = node.service === "in_service" ? "" : node.service;
  const known = node.power === "on" ? node.state : node.power;
  const word = !wanted ? known : known === "up" ? wanted : `${known}, ${wanted}`;
  const state = make("span", tint(wanted && known === "up" ? wanted : known), word);
  const silent = node.silent_s === null ? "" : `no answer for ${short(node.silent_s)}: ${node.why}. `;
  return make("article", "node", make("h3", "", node.node, state), bar, plainBar(memory, "thin"),
    make("p", "", silent + `${amount(node.cpus_given)} of ${amount(node.cpus)} CPUs given, ${amount(node.cpus_needed)} asked for; memory `
      + `${bytes(node.memory_used_bytes)} of ${bytes(node.memory_bytes)}`));
}

const places = (nodes) => nodes.map((n) => (n.tasks === 1 ? n.node : `${n.node}:${n.tasks}`)).join(", ");

function jobRow(job) {
  const choice = make("button", "", job.job);
  choice.type = "button";
  const share = job.yield === null ? make("span", "quiet", "–")
    : make("span", "yield", plainBar(job.yield, ""), decimals(job.yield));
  const row = make("tr", job.job === chosen ? "chosen" : "",
    make("td", "number", choice), make("td", "text", job.name || "–"), make("td", tint(job.state), job.state),
    make("td", "number wide", job.tasks), make("td", "", share), make("td", "number", decimals(job.bounded_stretch)),
    make("td", "number wide", short(job.virtual_s)), make("td", "number wide", short(job.age_s)),
    make("td", "text wide", places(job.nodes) || "–"));
  row.addEventListener("click", () => choose(job.job));
  return row;
}

// The life of a job, from its oldest turn that is told to the newest, or to now: as high as its yield while it runs.
function lifeLine(history, ended) {
  const turns = history.filter((turn) => turn.after && turn.after.phase);
  if (turns.length === 0) return [];
  const until = ended ? turns[turns.length - 1].ago_s : 0;
  const span = Math.max(turns[0].ago_s - until, 1e-3);
  const shares = {};
  const parts = turns.map((turn, i) => {
    const lasted = turn.ago_s - (i + 1 < turns.length ? turns[i + 1].ago_s : until);
    const { phase, yield: given, nodes } = turn.after;
    const runs = phase === "running";
    shares[phase] = (shares[phase] || 0) + (100 * lasted) / span;
    const part = make("i", phase);
    part.style.width = `${(100 * lasted) / span}%`;
    part.style.height = `${runs ? Math.max(4, 100 * given) : 12}%`;
    part.title = `${runs ? `running, yield ${decimals(given)} on ${places(nodes)}` : phase} for ${short(lasted)}`;
    return part;
  });
  const life = make("div", "life", ...parts);
  life.setAttribute("role", "img");
  life.setAttribute("aria-label", `Of the last ${short(span)}: `
    + Object.entries(shares).filter(([, share]) => share >= 0.5).map(([phase, share]) => `${Math.round(share)} % ${phase}`).join(", "));
  return [life, make("p", "life-scale", make("span", "", `${short(turns[0].ago_s)} ago`), make("span", "", ended ? `ended ${short(until)} ago` : "now"))];
}

const list = (tag, items) => make(tag, "", ...items.map((item) => make("li", "", item)));

function whyPanel(why) {
  const parts = [
    make("h3", "", `Job ${why.job} ${why.name} is ${why.state} `, make("span", "quiet", `(${why.reason}) for ${short(why.for_s)}`)),
    make("p", "", why.text),
    ...lifeLine(why.history, why.reason === "ended"),
  ];
  const section = (title, content) => parts.push(make("h4", "", title), content);
  if (why.kinds.length > 0)
    section("Nodes", list("ul", why.kinds.map((kind) =>
      `${kind.nodes} × (${kind.kind}): ${kind.reasons.map((r) => `${r.nodes} ${r.what}`).join("; ")}`)));
  if (why.held_by.length > 0)
    section(`Held by${why.tightest ? ` (${why.tightest})` : ""}`, list("ul", why.held_by.map((h) =>
      `job ${h.job} ${h.name}: ${h.tasks} × (${amount(h.cpus)} cores, ${bytes(h.memory_bytes)})`)));
  if (why.remedies.length > 0) section("What would change it", list("ul", why.remedies));
  if (why.expected)
    section(`Expected: ${why.expected.event.replace("_", " ")}`, make("p", "", `${why.expected.text} (${why.expected.basis})`));
  if (why.history.length > 0)
    section("History", list("ol", [...why.history].reverse().map((h) => `${short(h.ago_s)} ago: ${h.words}`)));
  return parts;
}

function decisionLine(row) {
  return make("li", "", make("time", "", row.at.slice(11, 19)), row.job === null ? "" : `job ${row.job} `, row.event.words);
}

function changeLine(change) {
  const from = places(change.from) || "no node";
  const to = places(change.to) || "no node";
  const where = from === to ? to : `${from} → ${to}`;
  const gain = change.gain_cpus === 0 ? "" : `, ${change.gain_cpus > 0 ? "+" : ""}${amount(change.gain_cpus)} CPUs`;
  return `job ${change.job} ${change.name}: ${where}, yield ${decimals(change.yield_before)} → ${decimals(change.yield_after)}${gain}`;
}

const figures = (f) => `${f.placed} jobs placed, ${f.waiting} waiting, ${amount(f.cpus_given)} CPUs given`
  + (f.yield_min === null ? "" : `, yield ${decimals(f.yield_min)} least, ${decimals(f.yield_mean)} mean`);

function planPanel(plan) {
  const parts = [];
  const section = (title, lines) => {
    if (lines.length > 0) parts.push(make("h3", "", title), list("ul", lines));
  };
  section("Refused", plan.refused.map((r) => `${r.law}: ${r.text}`));
  for (const [kind, title] of [["starts", "Starts"], ["resumes", "Resumes"], ["pauses", "Pauses"], ["moves", "Moves"], ["yields", "Other yields"]])
    section(title, plan[kind].map(changeLine));
  if (parts.length === 0) parts.push(make("p", "", "Nothing would change."));
  parts.push(make("h3", "", "Cluster"), list("ul", [`now: ${figures(plan.before)}`, `then: ${figures(plan.after)}`]));
  if (plan.cost && plan.cost.actions > 0)
    section(`${plan.cost.actions} actions, ${bytes(plan.cost.bytes)}`, plan.actions.slice(0, 50).map((a) =>
      `round ${a.round}: ${a.action} job ${a.job} ${a.name}${a.from ? ` from ${a.from}` : ""}${a.to ? ` to ${a.to}` : ""}`
      + `${a.bytes > 0 ? `, ${bytes(a.bytes)}` : ""}${a.stall_s > 0 ? `, stands for ${short(a.stall_s)}` : ""}`));
  section("Jobs that would wait", plan.waits.map((w) => `job ${w.job} ${w.name} (${w.reason}): ${w.text}`));
  return parts;
}

const ENDED = ["completed", "failed", "cancelled", "timed_out"];
const coreHours = (seconds) => (seconds === null ? "–" : (seconds / 3600).toFixed(seconds < 36000 ? 2 : 0));

function accountRow(account) {
  const sum = (wanted) => Object.entries(account.jobs).filter(([state]) => ENDED.includes(state) === wanted).reduce((n, [, count]) => n + count, 0);
  const { cpu, stretch: { completed } } = account;
  return make("tr", "", make("td", "text", account.account || "no account"), make("td", "number", sum(false)), make("td", "number", sum(true)),
    make("td", "number wide", coreHours(cpu.promised_s)), make("td", "number", coreHours(cpu.granted_s)), make("td", "number", coreHours(cpu.used_s)),
    make("td", "number wide", decimals(completed.mean)), make("td", "number wide", decimals(completed.max)));
}

let chosen = null;
function choose(job) {
  chosen = job;
  history.replaceState(null, "", job === null ? "#now" : `#job=${job}`);
  if (job === null) at("why").replaceChildren(make("p", "quiet", "Select a job to see the reason for its state."));
  at("why").parentElement.scrollIntoView({ block: "nearest" });
  refresh();
}

// The rows that the filter leaves, by the words of the whole row: "3 run" has a 3 and something that runs.
function filterRows() {
  const words = at("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of at("jobs").children) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
}

function step(by) {
  const rows = [...at("jobs").children].filter((row) => !row.hidden);
  if (rows.length === 0) return;
  const now = rows.findIndex((row) => row.classList.contains("chosen"));
  const next = rows[now < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, now + by))];
  choose(Number(next.querySelector("button").textContent));
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    at("filter").value = "";
    at("filter").blur();
    filterRows();
    if (view === "now") choose(null);
  } else if (event.target !== at("filter") && view === "now" && ["j", "k", "/"].includes(event.key)) {
    event.preventDefault();
    if (event.key === "/") at("filter").focus();
    else step(event.key === "j" ? 1 : -1);
  }
}

async function ask(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(PATIENCE_MS) });
  const body = await answer.json().catch(() => ({ message: `the manager answered ${answer.status}` }));
  if (!answer.ok) throw new Error(body.message || `the manager answered ${answer.status}`);
  return body;
}

function draw(picture) {
  const { status, nodes, jobs, decisions } = picture;
  at("cluster").textContent = status.cluster;
  const deciding = status.next_decision_in_s === null ? "" : `, decides in ${short(status.next_decision_in_s)}`;
  const yields = status.yield_min === null ? "" : ` · yield ${decimals(status.yield_min)} least, ${decimals(status.yield_mean)} mean`;
  at("summary").textContent = `${status.policy}${status.mode === "auto" ? "" : ` (mode ${status.mode})`}${deciding}`
    + ` · nodes ${counts(status.nodes)} · jobs ${counts(status.jobs)}${yields}`;
  at("nodes").replaceChildren(...nodes.map((node) => nodeCard(node, jobs)));
  at("jobs").replaceChildren(...jobs.map(jobRow));
  filterRows();
  at("no-jobs").hidden = jobs.length > 0;
  at("decisions").replaceChildren(...[...decisions].reverse().map(decisionLine));
  if (decisions.length === 0) at("decisions").append(make("li", "quiet", "No decisions so far."));
}

let asking = false;
let again = false;
async function refresh() {
  again = asking;
  if (asking) return;
  asking = true;
  try {
    draw(await ask("/api/v1/status"));
    at("trouble").hidden = true;
    if (view === "plan") at("plan").replaceChildren(...planPanel(await ask("/api/v1/plan")));
    if (view === "accounts") at("accounts").replaceChildren(...(await ask("/api/v1/accounts")).accounts.map(accountRow));
    if (view === "now" && chosen !== null) {
      try {
        at("why").replaceChildren(...whyPanel(await ask(`/api/v1/why?job=${chosen}`)));
      } catch (error) {
        at("why").replaceChildren(make("p", "quiet", error.message));
      }
    }
    document.body.dataset.drawn = "yes";
  } catch (error) {
    at("trouble").textContent = `No answer from the manager (${error.message}); the page may be out of date.`;
    at("trouble").hidden = false;
  } finally {
    asking = false;
    if (again) refresh();
  }
}

const VIEWS = ["now", "plan", "accounts"];
let view = "now";
function fromAddress() {
  const match = /^#job=(\d{1,15})$/.exec(location.hash);
  chosen = match ? Number(match[1]) : chosen;
  view = VIEWS.find((name) => location.hash === `#${name}`) || "now";
  for (const name of VIEWS) {
    at(`view-${name}`).hidden = name !== view;
    const link = document.querySelector(`nav a[href="#${name}"]`);
    if (name === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

fromAddress();
window.addEventListener("hashchange", () => { fromAddress(); refresh(); });
at("filter").addEventListener("input", filterRows);
document.addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
setInterval(() => { if (!document.hidden) refresh(); }, REFRESH_MS);
refresh();
