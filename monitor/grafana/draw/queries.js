// What a panel asks and what it gets: targets -> Prometheus -> the frames that Grafana's data source makes.
import { FieldType, toDataFrame } from '@grafana/data';

const kRateInterval = '2m'; // what Grafana would make of the scrape interval and the step

const labelled = (format, labels) =>
  format ? format.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => labels[name] ?? '') : JSON.stringify(labels);

// The expression as Grafana would send it: with the variables' values in it.
const expanded = (expression, variables) =>
  expression.replace(/\$\{?(\w+)\}?/g, (whole, name) => variables[name] ?? whole);

export function variablesOf(dashboard) {
  const values = { __rate_interval: kRateInterval };
  for (const variable of dashboard.templating.list) values[variable.name] = variable.allValue ?? '.+';
  return values;
}

async function ask(target, variables, range, report) {
  const expression = expanded(target.expr, variables);
  const path = target.instant
    ? `query?time=${range.to}`
    : `query_range?start=${range.from}&end=${range.to}&step=${range.step}`;
  const answer = await (await fetch(`/api/v1/${path}&query=${encodeURIComponent(expression)}`)).json();
  const series = answer.status === 'success' ? answer.data.result : [];
  report({ expression, series: series.length, error: answer.error });
  return series;
}

const tableFrame = (series, refId) => {
  const labels = [...new Set(series.flatMap((each) => Object.keys(each.metric)))].filter(
    (name) => !['__name__', 'job', 'instance'].includes(name));
  return toDataFrame({
    refId,
    fields: [
      { name: 'Time', type: FieldType.time, values: series.map((each) => each.value[0] * 1000), config: {} },
      ...labels.map((name) => ({
        name, type: FieldType.string, values: series.map((each) => each.metric[name] ?? ''), config: {},
      })),
      { name: `Value #${refId}`, type: FieldType.number, values: series.map((each) => +each.value[1]), config: {} },
    ],
  });
};

const seriesFrame = (each, target) => {
  const samples = each.values ?? [each.value];
  const name = labelled(target.legendFormat, each.metric);
  return toDataFrame({
    refId: target.refId,
    name,
    fields: [
      { name: 'Time', type: FieldType.time, values: samples.map((s) => s[0] * 1000), config: {} },
      {
        name: 'Value', type: FieldType.number, labels: each.metric,
        values: samples.map((s) => (Number.isFinite(+s[1]) ? +s[1] : null)), config: { displayNameFromDS: name },
      },
    ],
  });
};

export async function framesOf(panel, variables, range, report) {
  const frames = [];
  for (const target of panel.targets) {
    const series = await ask(target, variables, range, report);
    if (target.format === 'table') frames.push(tableFrame(series, target.refId));
    else frames.push(...series.map((each) => seriesFrame(each, target)));
  }
  return frames;
}
