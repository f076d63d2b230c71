// What the next decision would change; what it would be if the cluster were otherwise; and its carrying out.
import { actions, confirm, request, say } from "./actions.js";
import { hasToken, read } from "./feed.js";
import { amount, at, bytes, counted, decimals, jobLink, list, make, places, replace, short } from "./words.js";

const figures = (f) => `${f.placed} jobs placed, ${f.waiting} waiting, ${amount(f.cpus_given)} CPUs given`
  + (f.yield_min === null ? "" : `, yield ${decimals(f.yield_min)} least, ${decimals(f.yield_mean)} mean`);

const TURNS = [["starts", "Starts"], ["resumes", "Resumes"], ["pauses", "Pauses"], ["moves", "Moves"], ["yields", "Other yields"]];

function changeWords(change) {
  const from = places(change.from) || "no node";
  const to = places(change.to) || "no node";
  const where = from === to ? to : `${from} → ${to}`;
  const gain = change.gain_cpus === 0 ? "" : `, ${change.gain_cpus > 0 ? "+" : ""}${counted(change.gain_cpus, "CPU")}`;
  return ` ${change.name}: ${where}, yield ${decimals(change.yield_before)} → ${decimals(change.yield_after)}${gain}`;
}
const changeLine = (change) => [jobLink(change.job, change.name), changeWords(change)];
const fateLine = (row) => [jobLink(row.job, row.name), ` ${row.name}: ${row.what}${row.text ? `: ${row.text}` : ""}`];

function planPanel(plan) {
  const parts = [];
  const section = (title, lines) => {
    if (lines.length > 0) parts.push(make("h3", "", title), list("ul", lines));
  };
  section("On nodes that are down", plan.lost.map(fateLine));
  section("On nodes that are drained", plan.drained.map(fateLine));
  section("Refused", plan.refused.map((r) => `${r.law}: ${r.text}`));
  for (const [kind, title] of TURNS) section(title, plan[kind].map(changeLine));
  if (parts.length === 0) parts.push(make("p", "", "Nothing would change."));
  section("Cluster", [`now: ${figures(plan.before)}`, `then: ${figures(plan.after)}`]);
  if (plan.cost && plan.cost.actions > 0)
    section(`${plan.cost.actions} actions, ${bytes(plan.cost.bytes)}`, plan.actions.slice(0, 50).map((a) =>
      `round ${a.round}: ${a.action} job ${a.job} ${a.name}${a.from ? ` from ${a.from}` : ""}${a.to ? ` to ${a.to}` : ""}`
      + `${a.bytes > 0 ? `, ${bytes(a.bytes)}` : ""}${a.stall_s > 0 ? `, stands for ${short(a.stall_s)}` : ""}`));
  section("Jobs that would wait", plan.waits.map((w) => [jobLink(w.job, w.name), ` ${w.name} (${w.reason}): ${w.text}`]));
  return parts;
}

export async function drawPlan() {
  try {
    replace(at("plan"), ...planPanel(await read("plan")), applyButton());
  } catch (error) {
    replace(at("plan"), make("p", "quiet", error.message));
  }
  at("what-if-token").replaceChildren(...(hasToken() ? [] : [actions([], "To ask needs a token…")]));
  at("what-if-form").hidden = !hasToken();
}

// A plan is saved, shown as it was saved, and carried out only if what it rests on is as it was.
function applyButton() {
  const row = actions([]);
  if (!hasToken()) return row;
  const apply = make("button", "", "Carry out now…");
  apply.type = "button";
  apply.addEventListener("click", async () => {
    try {
      const plan = await request("plan", { save: true });
      const changes = TURNS.flatMap(([kind, title]) => plan[kind].map((change) => `${title}: job ${change.job}${changeWords(change)}`));
      if (changes.length === 0) return say("Nothing would change, so there is nothing to carry out.");
      return confirm({ words: "Carry out", does: `Carry out ${changes.length} changes`, bad: true,
        asks: `Carry out this plan of ${plan.policy}?`, more: [list("ul", changes)],
        method: "plan.apply", body: { plan: plan.saved }, done: () => `The plan is carried out: ${changes.length} changes.` });
    } catch (error) {
      return say(error.message, true);
    }
  });
  row.append(apply);
  return row;
}

export function drawAssumptions(nodes) {
  const select = at("what-if-node");
  const names = nodes.map((node) => node.node);
  if ([...select.options].map((each) => each.value).join("\n") === names.join("\n")) return;
  const kept = select.value;
  select.replaceChildren(...names.map((name) => new Option(name, name)));
  if (names.includes(kept)) select.value = kept;
}

async function suppose(event) {
  event.preventDefault();
  const [kind, node] = [at("what-if-kind").value, at("what-if-node").value];
  const title = `If ${node} is ${kind === "drain" ? "drained" : "down"}`;
  try {
    replace(at("what-if"), make("h3", "", title), ...planPanel(await request("plan", { what_if: [`${kind}=${node}`] })));
  } catch (error) {
    replace(at("what-if"), make("p", "bad", error.message));
  }
}

export function startPlan() {
  at("what-if-form").addEventListener("submit", suppose);
}
