// The queue, and one job of it: the reason for its state, its life, its history.
import { actions } from "./actions.js";
import { read } from "./feed.js";
import { at, button, bytes, counted, decimals, jobLink, list, make, nodeLink, places, plainBar, replace, short, tint } from "./words.js";

let chosen = null;
export const chooseJob = (job) => { chosen = job; };
export const chosenJob = () => chosen;

const between = (nodes, mark) => nodes.flatMap((node, i) => (i > 0 ? [mark, node] : [node]));
const placeLinks = (nodes) => between(nodes.map((n) => make("span", "", nodeLink(n.node), n.tasks === 1 ? "" : `:${n.tasks}`)), ", ");

function jobRow(job, choose) {
  const choice = button("", String(job.job), `job ${job.job} ${job.name}, ${job.state}`, (event) => {
    event.stopPropagation();
    choose(job.job);
  });
  if (job.job === chosen) choice.setAttribute("aria-current", "true");
  const share = job.yield === null ? make("span", "quiet", "–")
    : make("span", "yield", plainBar(job.yield, ""), decimals(job.yield));
  const row = make("tr", job.job === chosen ? "chosen" : "",
    make("td", "number", choice), make("td", "text", job.name || "–"), make("td", tint(job.state), job.state),
    make("td", "number wide", job.tasks), make("td", "", share), make("td", "number", decimals(job.bounded_stretch)),
    make("td", "number wide", short(job.virtual_s)), make("td", "number wide", short(job.age_s)),
    make("td", "text wide", ...(job.nodes.length > 0 ? placeLinks(job.nodes) : ["–"])));
  row.addEventListener("click", (event) => { if (!event.target.closest("a")) choose(job.job); });
  return row;
}

export function drawQueue(jobs, more, choose) {
  replace(at("jobs"), ...jobs.map((job) => jobRow(job, choose)));
  filterRows();
  at("no-jobs").hidden = jobs.length > 0;
  at("more-jobs").hidden = !more;
}

// The rows that the filter leaves, by the words of the whole row: "3 run" has a 3 and something that runs.
export function filterRows() {
  const words = at("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of at("jobs").children) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
}

// The job that is so many rows further down than the chosen one; null: there is none.
export function neighbour(by) {
  const rows = [...at("jobs").children].filter((row) => !row.hidden);
  if (rows.length === 0) return null;
  const now = rows.findIndex((row) => row.classList.contains("chosen"));
  const next = rows[now < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, now + by))];
  return Number(next.querySelector("button").textContent);
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
  const key = make("p", "life-key", make("span", "running", "running, as high as its yield"), make("span", "paused", "paused"), make("span", "pending", "waiting"));
  return [life, make("p", "life-scale", make("span", "", `${short(turns[0].ago_s)} ago`), make("span", "", ended ? `ended ${short(until)} ago` : "now")), key];
}

function jobActions(why) {
  if (why.reason === "ended") return [];
  const job = `job ${why.job}${why.name ? ` ${why.name}` : ""}`;
  const body = { job: why.job };
  const held = why.reason === "held";
  const all = [held ? { words: "Release", does: `Release job ${why.job}`, asks: `Let ${job} start when there is place for it?`, method: "release", body }
    : { words: "Hold", does: `Hold job ${why.job}`, asks: `Hold ${job} back? It is not placed until it is released.`, method: "hold", body }];
  if (why.state !== "pending" && !held)
    all.push({ words: "Requeue", does: `Requeue job ${why.job}`, asks: `Stop ${job} and start it anew from its beginning? What it has done so far is lost.`, method: "requeue", body });
  all.push({ words: "Cancel", does: `Cancel job ${why.job}`, asks: `Cancel ${job}? It ends, and what it has done so far is lost.`, method: "cancel", body, bad: true });
  return [actions(all)];
}

function whyPanel(why, nodes) {
  const parts = [
    make("h3", "", `Job ${why.job} ${why.name} is ${why.state} `, make("span", "quiet", `(${why.reason}) for ${short(why.for_s)}`)),
    make("p", "", why.text),
    ...(nodes.length > 0 ? [make("p", "", "On ", ...placeLinks(nodes))] : []),
    ...jobActions(why),
    ...lifeLine(why.history, why.reason === "ended"),
  ];
  const section = (title, content) => parts.push(make("h4", "", title), content);
  if (why.kinds.length > 0)
    section("Nodes", list("ul", why.kinds.map((kind) =>
      `${kind.nodes} × (${kind.kind}): ${kind.reasons.map((r) => `on ${r.nodes}: ${r.what}`).join("; ")}`)));
  if (why.held_by.length > 0)
    section(`Held by${why.tightest ? ` (${why.tightest})` : ""}`, list("ul", why.held_by.map((h) =>
      [jobLink(h.job, h.name), ` ${h.name}: ${h.tasks} × (${counted(h.cpus, "core")}, ${bytes(h.memory_bytes)})`])));
  if (why.remedies.length > 0) section("What would change it", list("ul", why.remedies));
  if (why.expected)
    section(`Expected: ${why.expected.event.replace("_", " ")}`, make("p", "", `${why.expected.text} (${why.expected.basis})`));
  if (why.history.length > 0)
    section("History", list("ol", [...why.history].reverse().map((h) => `${short(h.ago_s)} ago: ${h.words}`)));
  return parts;
}

export async function drawWhy(jobs) {
  if (chosen === null) {
    replace(at("why"), make("p", "quiet", "Select a job to see the reason for its state."));
    return;
  }
  try {
    const why = await read("why", { job: chosen });
    if (why.job === chosen) replace(at("why"), ...whyPanel(why, jobs.find((job) => job.job === chosen)?.nodes || []));
  } catch (error) {
    replace(at("why"), make("p", "quiet", error.message));
  }
}

export function drawDecisions(decisions) {
  const line = (row) => make("li", "", make("time", "", row.at.slice(11, 19)),
    ...(row.job === null ? [] : [jobLink(row.job), " "]), row.event.words);
  replace(at("decisions"), ...[...decisions].reverse().map(line));
  if (decisions.length === 0) at("decisions").append(make("li", "quiet", "No decisions so far."));
}
