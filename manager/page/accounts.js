// The accounts: how many jobs each has, and how much CPU it was promised, granted and has used.
import { read } from "./feed.js";
import { at, decimals, make, replace } from "./words.js";

const ENDED = ["completed", "failed", "cancelled", "timed_out"];
const coreHours = (seconds) => (seconds === null ? "–" : (seconds / 3600).toFixed(seconds < 36000 ? 2 : 0));

function accountRow(account) {
  const sum = (wanted) => Object.entries(account.jobs).filter(([state]) => ENDED.includes(state) === wanted).reduce((n, [, count]) => n + count, 0);
  const { cpu, stretch: { completed } } = account;
  return make("tr", "", make("td", "text", account.account || "no account"), make("td", "number", sum(false)), make("td", "number", sum(true)),
    make("td", "number wide", coreHours(cpu.promised_s)), make("td", "number", coreHours(cpu.granted_s)), make("td", "number", coreHours(cpu.used_s)),
    make("td", "number wide", decimals(completed.mean)), make("td", "number wide", decimals(completed.max)));
}

export async function drawAccounts() {
  const { accounts } = await read("accounts");
  replace(at("accounts"), ...accounts.map(accountRow));
  at("no-accounts").hidden = accounts.length > 0;
}
