// Nodes: a card of each with the caps in force drawn to scale, and one of them with the VMs that stand on it.
import { actions } from "./actions.js";
import { read } from "./feed.js";
import { amount, at, bytes, counted, decimals, hue, jobLink, link, list, make, plainBar, replace, short, tint } from "./words.js";

let chosen = null;
export const chooseNode = (name) => { chosen = name; };
export const chosenNode = () => chosen;

function stateOf(node) {
  const wanted = node.service === "in_service" ? "" : node.service;
  const known = node.power === "on" ? node.state : node.power;
  const word = !wanted ? known : known === "up" ? wanted : `${known}, ${wanted}`;
  return make("span", tint(wanted && known === "up" ? wanted : known), word);
}

// The parts of a node's CPU; each is a link to its job.
function shareBar(node, parts) {
  const bar = make("div", "bar shares");
  for (const { job, name, cpus } of parts) {
    if (node.cpus <= 0) continue;
    const fraction = cpus / node.cpus;
    const part = link(fraction > 0.08 ? job : "", `#job=${job}`, `job ${job} ${name}: ${(fraction * 100).toFixed(1)} % of ${node.node}`);
    part.style.width = `${fraction * 100}%`;
    part.style.setProperty("--hue", hue(job));
    part.title = part.getAttribute("aria-label");
    bar.append(part);
  }
  return bar;
}

function promised(node, jobs) {
  const parts = [];
  for (const job of jobs)
    for (const share of job.yield === null ? [] : job.nodes)
      if (share.node === node.node) parts.push({ job: job.job, name: job.name, cpus: job.cpus * job.yield * share.tasks });
  return parts;
}

function nodeCard(node, jobs) {
  const memory = node.memory_bytes > 0 ? node.memory_used_bytes / node.memory_bytes : 0;
  const silent = node.silent_s === null ? "" : `no answer for ${short(node.silent_s)}${node.why ? `: ${node.why}` : ""}. `;
  const title = link(node.node, `#node=${encodeURIComponent(node.node)}`, `node ${node.node}`);
  const card = make("article", node.node === chosen ? "node chosen" : "node", make("h3", "", title, stateOf(node)),
    shareBar(node, promised(node, jobs)), plainBar(memory, "thin"),
    make("p", "", `${silent}${amount(node.cpus_given)} of ${amount(node.cpus)} CPUs given, ${amount(node.cpus_needed)} asked for; memory `
      + `${bytes(node.memory_used_bytes)} of ${bytes(node.memory_bytes)}`));
  return card;
}

export function drawNodes(nodes, jobs) {
  replace(at("nodes"), ...nodes.map((node) => nodeCard(node, jobs)));
}

// The cores that a VM used between the last two readings that this page has seen, else since it began to run.
const readings = new Map();
function measured(vm) {
  if (!vm.cpu) return null;
  const key = `${vm.job}.${vm.task}`;
  const kept = readings.get(key);
  if (!kept || kept.now.used_s > vm.cpu.used_s) readings.set(key, { now: vm.cpu, before: null });
  else if (kept.now.read_s < vm.cpu.read_s) readings.set(key, { now: vm.cpu, before: kept.now });
  const { now, before } = readings.get(key);
  if (before) return (now.used_s - before.used_s) / (now.read_s - before.read_s);
  return now.granted_s > 0 ? (vm.cap_cpus * now.used_s) / now.granted_s : null;
}

// The cap of a VM on the scale of its node, and in it what it uses.
function capBar(vm, node) {
  const used = measured(vm);
  const scale = node.cpus > 0 ? vm.cap_cpus / node.cpus : 0;
  const cap = make("span", "cap");
  cap.style.width = `${Math.min(100, scale * 100)}%`;
  if (used !== null && vm.cap_cpus > 0) {
    const fill = make("i", "");
    fill.style.width = `${Math.min(100, (100 * used) / vm.cap_cpus)}%`;
    cap.append(fill);
  }
  cap.style.setProperty("--hue", hue(vm.job));
  const bar = make("div", "bar caps", cap);
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", `cap ${decimals(vm.cap_cpus)} of ${amount(node.cpus)} CPUs${used === null ? "" : `, ${decimals(used)} used`}`);
  return bar;
}

function vmRow(vm, node) {
  const used = measured(vm);
  return make("tr", "", make("td", "", jobLink(vm.job, vm.name)), make("td", "number", vm.task),
    make("td", `wide ${tint(vm.state)}`, vm.doing ? `${vm.state}, ${vm.doing}` : vm.state), make("td", "share", capBar(vm, node)),
    make("td", "number", decimals(vm.cap_cpus)), make("td", "number", decimals(used)),
    make("td", "number wide", vm.memory ? bytes(vm.memory.used_bytes) : "–"), make("td", "number wide", bytes(vm.memory_bytes)));
}

function table(titles, rows) {
  const head = titles.map(([words, kind]) => {
    const cell = make("th", kind || "", words);
    cell.scope = "col";
    return cell;
  });
  return make("div", "scroll", make("table", "", make("thead", "", make("tr", "", ...head)), make("tbody", "", ...rows)));
}

function drainWords(node) {
  const later = node.announced ? [make("p", "", `To be drained (${node.announced.mode}) from ${node.announced.at.slice(0, 16)} UTC on.`)] : [];
  const next = node.next_window;
  if (next)
    later.push(make("p", "", `Maintenance window ${next.name}: to be empty from ${next.from.slice(0, 16)} to ${next.to.slice(0, 16)} UTC, `
      + `drained from ${next.drained_from.slice(0, 16)} UTC on. What can be neither saved nor moved starts here only if its limits say that it ends in time.`));
  if (!node.drain) return later;
  const { mode, progress, vms_left: left, deadline, then, window } = node.drain;
  return [make("p", "", `Drained (${mode})${window ? ` for maintenance window ${window}` : ""}: ${progress}, ${left} VMs left`
    + `${deadline ? `; at ${deadline.slice(11, 19)} UTC: ${then}` : ""}.`), ...later];
}

function nodePanel(node) {
  const parts = [
    make("h3", "", `Node ${node.node} `, stateOf(node)),
    make("p", "", `${node.hypervisor}, ${counted(node.cores, "core")} (${counted(node.cpus, "CPU")}), ${bytes(node.memory_bytes)}`
      + `${node.other_vms > 0 ? `; ${counted(node.other_vms, "VM")} of others take ${counted(node.other_cpus, "CPU")}` : ""}`),
    ...drainWords(node),
    shareBar(node, node.vms.map((vm) => ({ job: vm.job, name: vm.name, cpus: vm.cap_cpus }))),
  ];
  if (node.devices.length > 0)
    parts.push(make("p", "", node.devices.map((d) => `${d.model}: ${d.free} of ${d.count} free`).join("; ")));
  if (node.vms.length === 0) parts.push(make("p", "quiet", "No VM stands here."));
  else parts.push(table([["Job"], ["Task", "number"], ["State", "wide"], ["Cap and use"], ["Cap", "number"], ["Used", "number"],
    ["Memory used", "number wide"], ["given", "number wide"]], node.vms.map((vm) => vmRow(vm, node))));
  const placed = node.placed.filter((p) => !node.vms.some((vm) => vm.job === p.job));
  if (placed.length > 0)
    parts.push(make("h4", "", "Placed here by the plan"), list("ul", placed.map((p) => [jobLink(p.job, p.name), ` ${p.name}: ${p.tasks} × ${counted(p.cpus, "CPU")}`])));
  const drained = node.service !== "in_service";
  parts.push(actions([
    drained ? { words: "Resume", does: `Resume ${node.node}`, asks: `Put node ${node.node} back into service?`, method: "node.resume", body: { node: node.node } }
      : { words: "Drain", does: `Drain ${node.node}`, asks: `Drain node ${node.node}? No job is placed on it any more, and those that run on it are moved away.`,
        method: "node.drain", body: { node: node.node, mode: "migrate" }, preview: true },
  ]));
  return parts;
}

export async function drawNode() {
  if (chosen === null) return;
  try {
    const node = await read("node", { name: chosen });
    replace(at("node"), ...nodePanel(node));
  } catch (error) {
    replace(at("node"), make("p", "quiet", error.message));
  }
}
