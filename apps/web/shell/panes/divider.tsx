import { useApp } from '../../app/context.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { type Divider, resized } from './dividers.ts';

const KEY_STEP = 0.04;

/** The divider between two panes, moved by dragging or with the arrow keys; a double click or Enter makes them even. */
export function PaneDivider(props: { divider: Divider }) {
  const { t } = useApp();
  const { panes } = useWorkspace();
  const is_row = () => props.divider.split.direction === 'row';
  const shares = () => props.divider.split.shares;
  let pulled: { readonly from_px: number; readonly shares: readonly number[] } | undefined;

  const resize = (from: readonly number[], by: number) =>
    panes.resize(props.divider.split.id, resized(from, props.divider.at, by));
  const along = (event: PointerEvent) => (is_row() ? event.clientX : event.clientY);

  function onPointerDown(event: PointerEvent & { currentTarget: HTMLElement }): void {
    event.currentTarget.setPointerCapture(event.pointerId);
    pulled = { from_px: along(event), shares: shares() };
  }
  function onPointerMove(event: PointerEvent & { currentTarget: HTMLElement }): void {
    const area = event.currentTarget.parentElement;
    if (!pulled || !area) return;
    const whole_px = (is_row() ? area.clientWidth : area.clientHeight) * props.divider.extent;
    resize(pulled.shares, (along(event) - pulled.from_px) / Math.max(1, whole_px));
  }
  /** Both panes get the same room. */
  function even(): void {
    const [before = 0, after = 0] = shares().slice(props.divider.at);
    resize(shares(), (after - before) / 2);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter') {
      event.preventDefault();
      even();
    }
    const [less, more] = is_row() ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    resize(shares(), event.key === more ? KEY_STEP : -KEY_STEP);
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: it can be moved
    <div
      class={`pane-divider pane-divider-${props.divider.split.direction}`}
      role="separator"
      tabIndex={0}
      aria-label={t('panes_resize')}
      aria-orientation={is_row() ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round((shares()[props.divider.at] ?? 0) * 100)}
      style={{ '--x': props.divider.left, '--y': props.divider.top, '--l': props.divider.length }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        pulled = undefined;
      }}
      onDblClick={even}
      onKeyDown={onKeyDown}
    />
  );
}
