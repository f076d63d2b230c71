// The console: draws what the stream brings, and what is asked for besides: the chosen job and node, the plan
// and the accounts. The address says what is shown, so that it can be kept and sent.
import { startActions } from "./actions.js";
import { drawAccounts } from "./accounts.js";
import { follow, read, seesMore } from "./feed.js";
import { chooseNode, chosenNode, drawNode, drawNodes } from "./nodes.js";
import { drawAssumptions, drawPlan, startPlan } from "./plan.js";
import { chooseJob, chosenJob, drawDecisions, drawQueue, drawWhy, filterRows, neighbour } from "./queue.js";
import { at, counts, decimals, short } from "./words.js";

const VIEWS = ["now", "plan", "accounts"];
const PLAN_EVERY_MS = 2000; // each asks the policy for a decision
let view = "now";
let newest = null;

function drawSummary(status) {
  const deciding = status.next_decision_in_s === null ? "" : `, decides in ${short(status.next_decision_in_s)}`;
  const yields = status.yield_min === null ? "" : ` · yield ${decimals(status.yield_min)} least, ${decimals(status.yield_mean)} mean`;
  at("cluster").textContent = status.cluster;
  at("summary").textContent = `${status.policy}${status.mode === "auto" ? "" : ` (mode ${status.mode})`}${deciding}`
    + ` · nodes ${counts(status.nodes)} · jobs ${counts(status.jobs)}${yields}`;
  at("motd").textContent = status.motd ?? "";
  at("motd").hidden = !status.motd;
}

let planned = 0;
async function drawView(jobs) {
  if (view === "plan" && Date.now() - planned >= PLAN_EVERY_MS) {
    await drawPlan();
    planned = Date.now();
  }
  if (view === "accounts") await drawAccounts();
  if (view !== "now") return;
  await drawWhy(jobs);
  await drawNode();
}

// One after the other: a picture that comes meanwhile is drawn after the present one.
let drawing = false;
let again = false;
async function refresh() {
  again = drawing;
  if (drawing || !newest) return;
  drawing = true;
  try {
    const { status, nodes, jobs, more, decisions } = seesMore() ? await read("status") : newest;
    drawSummary(status);
    drawNodes(nodes, jobs);
    drawQueue(jobs, more, choose);
    drawDecisions(decisions);
    drawAssumptions(nodes);
    await drawView(jobs);
    document.body.dataset.drawn = "yes";
  } catch (error) {
    console.error(error.message);
  } finally {
    drawing = false;
    if (again) refresh();
  }
}

const choose = (job) => { location.hash = job === null ? "#now" : `#job=${job}`; };

function fromAddress() {
  const job = /^#job=(\d{1,15})$/.exec(location.hash);
  const node = /^#node=([^&]{1,400})$/.exec(location.hash);
  view = VIEWS.find((name) => location.hash === `#${name}`) || "now";
  if (view !== "now" || location.hash === "#now") {
    chooseJob(null);
    chooseNode(null);
  }
  if (job) chooseJob(Number(job[1]));
  if (node) chooseNode(decodeURIComponent(node[1]));
  at("node-section").hidden = chosenNode() === null;
  for (const name of VIEWS) {
    at(`view-${name}`).hidden = name !== view;
    const link = document.querySelector(`nav a[href="#${name}"]`);
    if (name === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  planned = 0;
  refresh();
  if (job) at("why-section").scrollIntoView({ block: "nearest" });
  if (node) at("node-section").scrollIntoView({ block: "nearest" });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = ["INPUT", "SELECT"].includes(event.target.tagName);
  if (event.key === "Escape") {
    at("filter").value = "";
    at("filter").blur();
    filterRows();
    if (view === "now") choose(null);
  } else if (!typing && view === "now" && ["j", "k", "/"].includes(event.key)) {
    event.preventDefault();
    if (event.key === "/") at("filter").focus();
    else if (neighbour(1) !== null) choose(neighbour(event.key === "j" ? 1 : -1));
  }
}

startActions(() => {
  planned = 0;
  refresh();
});
startPlan();
fromAddress();
window.addEventListener("hashchange", fromAddress);
at("filter").addEventListener("input", filterRows);
document.addEventListener("keydown", onKey);
follow((picture) => {
  newest = picture;
  refresh();
});
