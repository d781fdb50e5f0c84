import type { ITheme } from '@xterm/xterm';

const ANSI = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The tokens `--term-*`, resolved for the active theme. */
export function readTheme(host: HTMLElement): ITheme {
  const probe = host.appendChild(document.createElement('span'));
  const colour = (name: string) => {
    probe.style.color = `var(--term-${name})`;
    return getComputedStyle(probe).color;
  };
  const theme: ITheme = {
    background: colour('background'),
    foreground: colour('foreground'),
    cursor: colour('cursor'),
    cursorAccent: colour('background'),
    selectionBackground: colour('selection'),
    scrollbarSliderBackground: colour('slider'),
    scrollbarSliderHoverBackground: colour('slider-hover'),
    scrollbarSliderActiveBackground: colour('slider-hover'),
  };
  for (const name of ANSI) {
    theme[name] = colour(name);
    theme[`bright${capital(name)}`] = colour(`bright-${name}`);
  }
  probe.remove();
  return theme;
}

function capital<T extends string>(text: T): Capitalize<T> {
  return capitalised(text);
}

/** Capitalizes the first letter, as `Capitalize` does for the type. */
function capitalised<T extends string>(text: T): Capitalize<T> {
  return (text.charAt(0).toUpperCase() + text.slice(1)) as Capitalize<T>;
}
