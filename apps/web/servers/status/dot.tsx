import type { ShownStatus } from './status.ts';
import './dot.css';

/** States differ by shape as well as color; a text label is next to it. */
export function StatusDot(props: { status: ShownStatus['status'] }) {
  return (
    <svg class={`status-dot status-${props.status}`} viewBox="0 0 10 10" aria-hidden="true">
      {SHAPES[props.status]()}
    </svg>
  );
}

const SHAPES = {
  online: () => <circle cx="5" cy="5" r="4.5" fill="currentColor" />,
  offline: () => <path d="M1.5 1.5 8.5 8.5M8.5 1.5 1.5 8.5" stroke="currentColor" stroke-width="2.4" />,
  unchecked: () => <circle cx="5" cy="5" r="3.8" fill="none" stroke="currentColor" stroke-width="1.4" />,
  unknown: () => <path d="M1 5h8" stroke="currentColor" stroke-width="2" />,
} as const;
