import uPlot from 'uplot';
import { type ChartData, formatTick, gapsOf, incrementsOf, stackOf, topOf } from './shape.ts';
import 'uplot/dist/uPlot.min.css';

const HEIGHT_PX = 150;
const CHARACTER_PX = 6.6; // average character width of the font below
const FONT = '11px "Inter Variable", system-ui, sans-serif';

interface Options {
  readonly language: string;
  readonly format: (value: number) => string;
  /** Called whenever the steps' positions may have changed. */
  readonly onDrawn: () => void;
}

/** Pixels from the left edge of the chart. */
interface Box {
  readonly left: number;
  readonly width: number;
}

export interface Drawing {
  resize(width: number): void;
  /** Redraws with the page's current colors. */
  repaint(): void;
  boxOf(step: number): Box;
  /** Returns the position of a value in pixels below the upper edge of the chart. */
  topOf(value: number): number;
  /** The step at this viewport position; undefined outside the plot. */
  stepAt(client_x: number): number | undefined;
  close(): void;
}

/** Draws a stacked chart in which each step is as wide as its duration. */
export function openDrawing(host: HTMLElement, data: ChartData, options: Options): Drawing {
  let colors = readColors(host, data);
  const { times, step_s } = data;
  const plot = new uPlot(
    optionsOf(data, options, () => colors, host.clientWidth),
    rowsOf(data),
    host,
  );
  const leftOf = (step: number) => plot.over.offsetLeft + plot.valToPos((times[0] ?? 0) + step * step_s, 'x');
  return {
    resize: (width) => plot.setSize({ width, height: HEIGHT_PX }),
    repaint() {
      colors = readColors(host, data);
      plot.redraw(false);
    },
    boxOf: (step) => ({ left: leftOf(step), width: leftOf(step + 1) - leftOf(step) }),
    topOf: (value) => plot.over.offsetTop + plot.valToPos(value, 'y'),
    stepAt(client_x) {
      const { left } = plot.over.getBoundingClientRect();
      const step = Math.floor((plot.posToVal(client_x - left, 'x') - (times[0] ?? 0)) / step_s);
      return step >= 0 && step < times.length ? step : undefined;
    },
    close: () => plot.destroy(),
  };
}

interface Colors {
  readonly parts: readonly string[];
  readonly text: string;
  readonly line: string;
  readonly gap: string;
}

/** Resolves color tokens for the current theme: a canvas cannot use custom properties. */
function readColors(host: HTMLElement, { parts }: ChartData): Colors {
  const probe = host.appendChild(document.createElement('span'));
  const color = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    parts: parts.map(({ token }) => color(token)),
    text: color('text-soft'),
    line: color('line'),
    gap: color('sunken'),
  };
  probe.remove();
  return colors;
}

/** Upper parts come first, because later series are drawn over earlier ones. */
function rowsOf({ times, parts }: ChartData): uPlot.AlignedData {
  const edges = stackOf(parts.map(({ values }) => values)).reverse();
  return [[...times], ...edges.map((edge) => [...edge])];
}

function optionsOf(data: ChartData, options: Options, colors: () => Colors, width: number): uPlot.Options {
  const { times, step_s, parts, unit } = data;
  const [begin = 0] = times;
  const end = begin + times.length * step_s;
  const paths = pathsOf(step_s);
  const layers = parts.map((_, i) => ({
    fill: () => colors().parts[parts.length - 1 - i] ?? '',
    width: 0,
    points: { show: false },
    paths,
  }));
  return {
    width,
    height: HEIGHT_PX,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { range: [begin, end] }, y: { range: (_plot, _least, most) => [0, topOf(most, unit)] } },
    axes: axesOf(unit, options, colors),
    series: [{}, ...layers],
    hooks: {
      drawClear: [(plot) => shadeGaps(plot, data, colors().gap)],
      draw: [options.onDrawn],
    },
  };
}

function axesOf(unit: ChartData['unit'], options: Options, colors: () => Colors): uPlot.Axis[] {
  const { language, format } = options;
  const common = {
    stroke: () => colors().text,
    font: FONT,
    ticks: { show: false },
  } satisfies uPlot.Axis;
  return [
    {
      ...common,
      size: 24,
      space: 64,
      grid: { show: false },
      values: (_plot, splits, _axis, _space, apart_s) =>
        splits.map((time_s) => formatTick(time_s, apart_s, language)),
    },
    {
      ...common,
      space: 22,
      grid: { stroke: () => colors().line, width: 1 },
      incrs: incrementsOf(unit),
      values: (_plot, splits) => splits.map(format),
      size: (_plot, labels) => 14 + CHARACTER_PX * Math.max(1, ...(labels ?? []).map(({ length }) => length)),
    },
  ];
}

/** Snaps to whole pixels, so that steps have no seams and small values stay visible. */
function pathsOf(step_s: number): uPlot.Series.PathBuilder {
  return (plot, series, first, last) => {
    const fill = new Path2D();
    const x = (time_s: number) => Math.round(plot.valToPos(time_s, 'x', true));
    const y = (value: number) => Math.round(plot.valToPos(value, 'y', true));
    const floor = y(0);
    for (let i = first; i <= last; i += 1) {
      const value = plot.data[series]?.[i];
      const left = plot.data[0][i];
      if (!value || left === undefined) continue;
      const top = Math.min(y(value), floor - 1);
      fill.rect(x(left), top, Math.max(1, x(left + step_s) - x(left)), floor - top);
    }
    return { fill, stroke: null, clip: null };
  };
}

/** Shades steps without a measurement, to tell them from zero; not those before the first one. */
function shadeGaps(plot: uPlot, { parts, times, step_s }: ChartData, color: string): void {
  const { ctx, bbox } = plot;
  const x = (step: number) => Math.round(plot.valToPos((times[0] ?? 0) + step * step_s, 'x', true));
  ctx.save();
  ctx.fillStyle = color;
  for (const [first, last] of gapsOf(parts[0]?.values ?? []))
    if (first > 0) ctx.fillRect(x(first), bbox.top, x(last + 1) - x(first), bbox.height);
  ctx.restore();
}
