import { createEffect, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { type Drawing, openDrawing } from './drawing.ts';
import { type ChartData, formatStep, peakOf, stepFor } from './shape.ts';

interface Props {
  readonly title: string;
  readonly data: ChartData;
  readonly format: (value: number) => string;
}

/** A chart whose steps can be inspected by mouse, touch or keyboard. */
export function ChartPlot(props: Props) {
  const { preferences, t } = useApp();
  const [at, setAt] = createSignal<number>();
  const { ref, boxOf, peakBox, stepAt } = createDrawing(props);
  const language = () => preferences.values.language;
  const last = () => props.data.times.length - 1;
  const present = () => Math.min(at() ?? last(), last());
  const words = () => {
    const { parts, times, step_s } = props.data;
    const values = parts.map(({ label, values }) => `${label}: ${textOf(values[present()])}`);
    return [formatStep(times[present()] ?? 0, step_s, language()), ...values].join(', ');
  };
  const textOf = (value: number | null | undefined) =>
    value === null || value === undefined ? t('chart_not_measured') : props.format(value);

  function press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') setAt(undefined);
    const to = stepFor(event.key, present(), props.data.times.length);
    if (to === undefined) return;
    event.preventDefault();
    setAt(at() === undefined && event.key.startsWith('Arrow') ? last() : to);
  }

  const peak = () => peakOf(props.data);
  return (
    <div
      class="chart-plot"
      role="slider"
      tabIndex={0}
      aria-label={props.title}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={last()}
      aria-valuenow={present()}
      aria-valuetext={words()}
      onKeyDown={press}
      onPointerDown={(event) => setAt(stepAt(event.clientX))}
      onPointerMove={(event) => setAt(stepAt(event.clientX))}
      onPointerLeave={(event) => event.pointerType === 'mouse' && setAt(undefined)}
      onBlur={() => setAt(undefined)}
    >
      <div class="chart-canvas" ref={ref} aria-hidden="true" />
      <Show when={at() === undefined && peak()}>
        {(highest) => (
          <Show when={peakBox(highest())}>
            {(box) => (
              <span
                class="chart-peak"
                style={{ left: `${box().left}px`, top: `${box().top}px` }}
                aria-hidden="true"
              >
                {props.format(highest().value)}
              </span>
            )}
          </Show>
        )}
      </Show>
      <Show when={at() !== undefined && boxOf(present())}>
        {(box) => (
          <>
            <div
              class="chart-mark"
              style={{ left: `${box().left}px`, width: `${Math.max(1, box().width)}px` }}
            />
            <div class="chart-tip" style={placeOf(box())} aria-hidden="true">
              <p>{formatStep(props.data.times[present()] ?? 0, props.data.step_s, language())}</p>
              <For each={[...props.data.parts].reverse()}>
                {(part) => (
                  <p>
                    <span class="chart-key" style={{ background: `var(--${part.token})` }} /> {part.label}{' '}
                    <strong>{textOf(part.values[present()])}</strong>
                  </p>
                )}
              </For>
            </div>
          </>
        )}
      </Show>
    </div>
  );
}

interface PlacedBox {
  readonly left: number;
  readonly width: number;
  readonly room: number;
}

const BESIDE_PX = 8;

/** Places the tooltip on the side with more room. */
function placeOf({ left, width, room }: PlacedBox): Record<string, string> {
  const is_left = left > room / 2;
  return is_left ? { right: `${room - left + BESIDE_PX}px` } : { left: `${left + width + BESIDE_PX}px` };
}

function createDrawing(props: Props) {
  const { place, preferences } = useApp();
  const [host, setHost] = createSignal<HTMLElement>();
  const [drawing, setDrawing] = createSignal<Drawing>();
  const [drawn, setDrawn] = createSignal(0);
  onMount(() => {
    createEffect(() => {
      const element = host();
      if (!element) return;
      const opened = openDrawing(element, props.data, {
        language: preferences.values.language,
        format: props.format,
        onDrawn: () => setDrawn((count) => count + 1),
      });
      setDrawing(opened);
      onCleanup(opened.close);
    });
    followSize(host, (width) => drawing()?.resize(width));
    followColors(place.themed, () => drawing()?.repaint());
  });
  const boxOf = (step: number): PlacedBox | undefined => {
    drawn();
    const box = drawing()?.boxOf(step);
    return box && { ...box, room: host()?.clientWidth ?? 0 };
  };
  const peakBox = ({ step, value }: { step: number; value: number }) => {
    const box = boxOf(step);
    return box && { left: box.left + box.width / 2, top: drawing()?.topOf(value) ?? 0 };
  };
  return { ref: setHost, boxOf, peakBox, stepAt: (client_x: number) => drawing()?.stepAt(client_x) };
}

function followSize(host: () => HTMLElement | undefined, resize: (width: number) => void): void {
  const observer = new ResizeObserver(([entry]) => entry && resize(Math.floor(entry.contentRect.width)));
  createEffect(
    on(host, (element) => {
      if (element) observer.observe(element);
    }),
  );
  onCleanup(() => observer.disconnect());
}

/** Repaints when the theme, the system's color scheme or the branding changes. */
function followColors(themed: HTMLElement, repaint: () => void): void {
  const observer = new MutationObserver(repaint);
  observer.observe(themed, { attributeFilter: ['data-theme', 'style'] });
  const system = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
    matchMedia(query),
  );
  for (const query of system) query.addEventListener('change', repaint);
  onCleanup(() => {
    observer.disconnect();
    for (const query of system) query.removeEventListener('change', repaint);
  });
}
