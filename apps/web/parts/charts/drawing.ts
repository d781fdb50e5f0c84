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
  /** Redraws with the page's current colours. */
  repaint(): void;
  boxOf(step: number): Box;
  /** The step at this viewport position; undefined outside the plot. */
  stepAt(client_x: number): number | undefined;
  close(): void;
}

/** Draws a stacked chart in which each step is as wide as its duration. */
export function openDrawing(host: HTMLElement, data: ChartData, options: Options): Drawing {
  let colours = readColours(host, data);
  const { times, step_s } = data;
  const plot = new uPlot(
    optionsOf(data, options, () => colours, host.clientWidth),
    rowsOf(data),
    host,
  );
  const leftOf = (step: number) => plot.over.offsetLeft + plot.valToPos((times[0] ?? 0) + step * step_s, 'x');
  return {
    resize: (width) => plot.setSize({ width, height: HEIGHT_PX }),
    repaint() {
      colours = readColours(host, data);
      plot.redraw(false);
    },
    boxOf: (step) => ({ left: leftOf(step), width: leftOf(step + 1) - leftOf(step) }),
    stepAt(client_x) {
      const { left } = plot.over.getBoundingClientRect();
      const step = Math.floor((plot.posToVal(client_x - left, 'x') - (times[0] ?? 0)) / step_s);
      return step >= 0 && step < times.length ? step : undefined;
    },
    close: () => plot.destroy(),
  };
}

interface Colours {
  readonly parts: readonly string[];
  readonly text: string;
  readonly line: string;
  readonly gap: string;
}

/** Resolves colour tokens for the current theme: a canvas cannot use custom properties. */
function readColours(host: HTMLElement, { parts }: ChartData): Colours {
  const probe = host.appendChild(document.createElement('span'));
  const colour = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    parts: parts.map(({ token }) => colour(token)),
    text: colour('text-soft'),
    line: colour('line'),
    gap: colour('sunken'),
  };
  probe.remove();
  return colours;
}

/** Upper parts come first, because later series are drawn over earlier ones. */
function rowsOf({ times, parts }: ChartData): uPlot.AlignedData {
  const edges = stackOf(parts.map(({ values }) => values)).reverse();
  return [[...times], ...edges.map((edge) => [...edge])];
}

function optionsOf(data: ChartData, options: Options, colours: () => Colours, width: number): uPlot.Options {
  const { times, step_s, parts, unit } = data;
  const [begin = 0] = times;
  const end = begin + times.length * step_s;
  const paths = pathsOf(step_s);
  const layers = parts.map((_, i) => ({
    fill: () => colours().parts[parts.length - 1 - i] ?? '',
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
    axes: axesOf(unit, options, colours),
    series: [{}, ...layers],
    hooks: {
      drawClear: [(plot) => shadeGaps(plot, data, colours().gap)],
      draw: [options.onDrawn],
    },
  };
}

function axesOf(unit: ChartData['unit'], options: Options, colours: () => Colours): uPlot.Axis[] {
  const { language, format } = options;
  const common = {
    stroke: () => colours().text,
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
      grid: { stroke: () => colours().line, width: 1 },
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

/** Shades steps without a measurement, to tell them from zero. */
function shadeGaps(plot: uPlot, { parts, times, step_s }: ChartData, colour: string): void {
  const { ctx, bbox } = plot;
  const x = (step: number) => Math.round(plot.valToPos((times[0] ?? 0) + step * step_s, 'x', true));
  ctx.save();
  ctx.fillStyle = colour;
  for (const [first, last] of gapsOf(parts[0]?.values ?? []))
    ctx.fillRect(x(first), bbox.top, x(last + 1) - x(first), bbox.height);
  ctx.restore();
}
