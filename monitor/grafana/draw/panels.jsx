// A panel of a dashboard, drawn with Grafana's own components.
import React from 'react';
import {
  FieldType, Registry, applyFieldOverrides, dateTime, getDisplayValueAlignmentFactors, getFieldDisplayName, reduceField,
  standardTransformers, standardTransformersRegistry, transformDataFrame,
} from '@grafana/data';
import { BarGauge, BigValue, Table, TimeSeries } from '@grafana/ui';
import { firstValueFrom } from 'rxjs';

// Grafana's core fills these registries; its components only need the properties to be known.
const kProperties = ['unit', 'min', 'max', 'decimals', 'displayName', 'noValue', 'color', 'thresholds', 'mappings',
  'links', 'filterable'];
const kCustom = ['drawStyle', 'lineInterpolation', 'fillOpacity', 'lineWidth', 'showPoints', 'stacking', 'pointSize',
  'axisLabel', 'axisPlacement', 'gradientMode', 'spanNulls', 'barAlignment', 'lineStyle', 'scaleDistribution',
  'hideFrom', 'axisSoftMin', 'axisSoftMax', 'thresholdsStyle', 'align', 'cellOptions', 'width', 'inspect'];
const property = (id, isCustom) => ({
  id: isCustom ? `custom.${id}` : id, path: id, isCustom, name: id, process: (value) => value, shouldApply: () => true,
});
const registry = new Registry(() => [
  ...kProperties.map((id) => property(id, false)), ...kCustom.map((id) => property(id, true)),
]);
standardTransformersRegistry.setInit(() =>
  [standardTransformers.mergeTransformer, standardTransformers.organizeFieldsTransformer].map((transformation) => ({
    id: transformation.id, name: transformation.name, transformation, editor: () => null,
  })));

// What the time series plug-in adds where a dashboard says nothing.
const kLineDefaults = {
  drawStyle: 'line', lineInterpolation: 'linear', lineWidth: 1, fillOpacity: 0, gradientMode: 'none',
  showPoints: 'never', pointSize: 5, spanNulls: false, barAlignment: 0, axisPlacement: 'auto', axisLabel: '',
  scaleDistribution: { type: 'linear' }, hideFrom: { legend: false, tooltip: false, viz: false },
  stacking: { mode: 'none', group: 'A' }, thresholdsStyle: { mode: 'off' },
};

export async function dressed(panel, frames, theme) {
  const data = panel.transformations
    ? await firstValueFrom(transformDataFrame(panel.transformations, frames)) : frames;
  const defaults = { ...panel.fieldConfig.defaults };
  if (panel.type === 'timeseries') defaults.custom = { ...kLineDefaults, ...defaults.custom };
  return applyFieldOverrides({
    data, theme, fieldConfig: { defaults, overrides: panel.fieldConfig.overrides }, replaceVariables: (text) => text,
    fieldConfigRegistry: registry, timeZone: 'utc',
  });
}

const lastOf = (field) => field.display(reduceField({ field, reducers: ['lastNotNull'] }).lastNotNull);
const numbersOf = (data) =>
  data.flatMap((frame) => frame.fields.filter((f) => f.type === FieldType.number).map((field) => ({ field, frame })));

// What a drawn panel shows besides its title: legend, rows, columns.
export const namesOf = (panel, data) => panel.type === 'table'
  ? data[0].fields.map((field) => getFieldDisplayName(field, data[0], data))
  : numbersOf(data).map(({ field, frame }) => getFieldDisplayName(field, frame, data));

function Stat({ panel, data, width, height, theme }) {
  const { field, frame } = numbersOf(data)[0];
  const { colorMode, graphMode, justifyMode } = panel.options;
  const sparkline = graphMode === 'area' ? { y: field, x: frame.fields[0] } : undefined;
  return <BigValue width={width} height={height} theme={theme} value={{ ...lastOf(field), title: undefined }}
    colorMode={colorMode} graphMode={graphMode} justifyMode={justifyMode} sparkline={sparkline} />;
}

function Bars({ panel, data, width, height, theme }) {
  const rows = numbersOf(data);
  const each = Math.min(40, height / rows.length);
  const values = rows.map(({ field, frame }) => ({ ...lastOf(field), title: getFieldDisplayName(field, frame, data) }));
  const alignment = getDisplayValueAlignmentFactors(values.map((display) => ({ display })));
  return rows.map(({ field }, i) =>
    <div key={i} style={{ height: each }}>
      <BarGauge width={width} height={each - 5} theme={theme} orientation="horizontal" field={field.config}
        displayMode={panel.options.displayMode} showUnfilled={panel.options.showUnfilled} display={field.display}
        valueDisplayMode={panel.options.valueMode} itemSpacing={8} lcdCellWidth={12}
        value={values[i]} alignmentFactors={alignment} text={panel.options.text} />
    </div>);
}

export function Drawn({ panel, data, width, height, theme, range }) {
  const from = dateTime(range.from * 1000), to = dateTime(range.to * 1000);
  if (numbersOf(data).length === 0) throw new Error('nothing to draw');
  switch (panel.type) {
    case 'timeseries':
      return <TimeSeries frames={data} structureRev={1} width={width} height={height} timeZone="utc"
        timeRange={{ from, to, raw: { from, to } }} legend={panel.options.legend} options={panel.options} />;
    case 'stat':
      return <Stat {...{ panel, data, width, height, theme }} />;
    case 'bargauge':
      return <Bars {...{ panel, data, width, height, theme }} />;
    case 'table':
      return <Table data={data[0]} width={width} height={height} />;
    default:
      throw new Error(`a panel of type ${panel.type} cannot be drawn here`);
  }
}
