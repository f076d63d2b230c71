// The page: one dashboard, /dashboard.json, over what Prometheus has. Tells window.verdict when it is drawn.
import React from 'react';
import { createRoot } from 'react-dom/client';
import { ThemeContext, createTheme } from '@grafana/data';
import { GlobalStyles, PanelChrome, PanelContextProvider } from '@grafana/ui';
import { Drawn, dressed, namesOf } from './panels.jsx';
import { framesOf, variablesOf } from './queries.js';

const kCell = 38; // pixels of height of a row of the grid, its gap included
const kGap = 8;
const kPatience = 20_000; // milliseconds, for a dashboard to be drawn
const asked = new URLSearchParams(location.search);
const width = +asked.get('width');
const range = { from: +asked.get('from'), to: +asked.get('to'), step: +asked.get('step') };
const theme = createTheme({ colors: { mode: asked.get('theme') } });
const verdict = { queries: [], crashes: [], panels: 0 };

const nothing = { unsubscribe() {} };
const silent = {
  publish() {}, subscribe: () => nothing, removeAllListeners() {}, newScopedBus: () => silent,
  getStream: () => ({ subscribe: () => nothing, pipe() { return this; } }),
};

class Guard extends React.Component {
  state = { failure: null };
  static getDerivedStateFromError(failure) { return { failure }; }
  componentDidCatch(failure) { verdict.crashes.push({ panel: this.props.title, error: String(failure) }); }
  render() { return this.state.failure ? <pre>{String(this.state.failure)}</pre> : this.props.children; }
}

function Panel({ panel, data }) {
  const { x, y, w, h } = panel.gridPos;
  const unit = (width - kGap) / 24;
  const place = { position: 'absolute', left: x * unit + kGap, top: y * kCell };
  return <div style={place} id={`panel-${panel.id}`}>
    <PanelChrome title={panel.title} description={panel.description} width={w * unit - kGap} height={h * kCell - kGap}>
      {(innerWidth, innerHeight) => <Guard title={panel.title}>
        <Drawn {...{ panel, data, theme, range }} width={innerWidth} height={innerHeight} />
      </Guard>}
    </PanelChrome>
  </div>;
}

async function main() {
  const dashboard = await (await fetch('/dashboard.json')).json();
  const variables = variablesOf(dashboard);
  const loaded = await Promise.all(dashboard.panels.map(async (panel) => {
    const report = (query) => verdict.queries.push({ panel: panel.title, ...query });
    return { panel, data: await dressed(panel, await framesOf(panel, variables, range, report), theme) };
  }));
  verdict.panels = loaded.length;
  const rows = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  document.body.style.background = theme.colors.background.canvas;
  const heading = { color: theme.colors.text.primary, padding: '12px 8px', margin: 0, fontSize: 18 };
  createRoot(document.getElementById('root')).render(
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <PanelContextProvider value={{ eventsScope: 'global', eventBus: silent, canAddAnnotations: () => false }}>
        <h1 style={heading}>{dashboard.title}</h1>
        <div style={{ position: 'relative', width, height: rows * kCell }}>
          {loaded.map(({ panel, data }) => <Panel key={panel.id} panel={panel} data={data} />)}
        </div>
      </PanelContextProvider>
    </ThemeContext.Provider>);
  return loaded;
}

// What must be seen of a panel: its chart, and the names of its series in the legend.
const missing = ({ panel, data }) => {
  const element = document.getElementById(`panel-${panel.id}`);
  if (!element) return 'the panel';
  if (panel.type === 'timeseries' && !element.querySelector('canvas')) return 'the chart';
  const names = panel.type === 'stat' ? [] : namesOf(panel, data);
  return names.find((name) => !element.textContent.includes(name));
};

// Layout and legends take a few frames; what has not come after a while does not come.
async function settled(loaded) {
  const end = performance.now() + kPatience;
  while (loaded.some(missing) && performance.now() < end) await new Promise((next) => setTimeout(next, 50));
  for (const each of loaded) {
    const what = missing(each);
    if (what) verdict.crashes.push({ panel: each.panel.title, error: `${what} is not drawn` });
  }
  await new Promise((next) => setTimeout(next, 300));
}

main().then(settled)
  .catch((failure) => verdict.crashes.push({ panel: '', error: String(failure?.stack ?? failure) }))
  .finally(() => { window.verdict = verdict; });
