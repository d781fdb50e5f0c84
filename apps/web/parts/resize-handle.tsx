import './resize-handle.css';

const STEP_PX = 16;

interface Props {
  /** Names the area that it makes wider or narrower. */
  readonly label: string;
  readonly width_px: number;
  readonly widths: { readonly least: number; readonly most: number; readonly usual: number };
  /** The edge of the area at which the handle is. */
  readonly edge: 'left' | 'right';
  readonly class?: string;
  readonly onResize: (width_px: number) => void;
}

/** Makes an area wider or narrower: by dragging, with the arrow keys, Home and End. A double click or Enter restores its usual width. */
export function ResizeHandle(props: Props) {
  let pulled: { readonly from_px: number; readonly width_px: number } | undefined;
  const outwards = () => (props.edge === 'right' ? 1 : -1);
  const resize = (width_px: number) =>
    props.onResize(Math.round(Math.min(props.widths.most, Math.max(props.widths.least, width_px))));

  function onKeyDown(event: KeyboardEvent): void {
    const width_px = widthOf(event.key);
    if (width_px === undefined) return;
    event.preventDefault();
    resize(width_px);
  }
  function widthOf(key: string): number | undefined {
    if (key === 'ArrowLeft') return props.width_px - STEP_PX * outwards();
    if (key === 'ArrowRight') return props.width_px + STEP_PX * outwards();
    if (key === 'Home') return props.widths.least;
    if (key === 'End') return props.widths.most;
    return key === 'Enter' ? props.widths.usual : undefined;
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: it can be moved
    <div
      class={`resize-handle ${props.class ?? ''}`}
      role="separator"
      tabIndex={0}
      aria-label={props.label}
      aria-orientation="vertical"
      aria-valuenow={props.width_px}
      aria-valuemin={props.widths.least}
      aria-valuemax={props.widths.most}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        pulled = { from_px: event.clientX, width_px: props.width_px };
      }}
      onPointerMove={(event) => {
        if (pulled) resize(pulled.width_px + (event.clientX - pulled.from_px) * outwards());
      }}
      onLostPointerCapture={() => {
        pulled = undefined;
      }}
      onDblClick={() => resize(props.widths.usual)}
      onKeyDown={onKeyDown}
    />
  );
}
