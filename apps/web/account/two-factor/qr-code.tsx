import { encode } from 'uqr';

const QUIET = 4; // modules of white that ISO 18004 asks for around the code

/** Black on white in both themes: not every camera reads the reverse. */
export function QrCode(props: { text: string; label: string }) {
  const code = () => encode(props.text, { border: QUIET });
  return (
    <svg class="qr-code" viewBox={`0 0 ${code().size} ${code().size}`} role="img" aria-label={props.label}>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={pathOf(code().data)} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

function pathOf(rows: readonly (readonly boolean[])[]): string {
  const squares = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')));
  return squares.join('');
}
