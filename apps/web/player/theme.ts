const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const PALETTE = [...NAMES, ...NAMES.map((name) => `bright-${name}`)];

/** The tokens `--term-*` as hexadecimal colors, resolved for the active theme. */
export function applyTheme(host: HTMLElement): void {
  const probe = host.appendChild(document.createElement('span'));
  const color = (name: string) => {
    probe.style.color = `var(--term-${name})`;
    return toHex(getComputedStyle(probe).color);
  };
  for (const name of ['foreground', 'background']) host.style.setProperty(`--replay-${name}`, color(name));
  for (const [index, name] of PALETTE.entries()) host.style.setProperty(`--replay-${index}`, color(name));
  probe.remove();
}

/** Converts `rgb(1, 2, 3)`. */
export function toHex(color: string): string {
  const parts = color.match(/\d+/g) ?? [];
  return `#${parts
    .slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;
}
