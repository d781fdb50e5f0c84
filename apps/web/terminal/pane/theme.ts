import type { ITheme } from '@xterm/xterm';

const ANSI = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** The tokens `--term-*`, resolved for the active theme. */
export function readTheme(host: HTMLElement): ITheme {
  const probe = host.appendChild(document.createElement('span'));
  const color = (name: string) => {
    probe.style.color = `var(--term-${name})`;
    return getComputedStyle(probe).color;
  };
  const theme: ITheme = {
    background: color('background'),
    foreground: color('foreground'),
    cursor: color('cursor'),
    cursorAccent: color('background'),
    selectionBackground: color('selection'),
    scrollbarSliderBackground: color('slider'),
    scrollbarSliderHoverBackground: color('slider-hover'),
    scrollbarSliderActiveBackground: color('slider-hover'),
  };
  for (const name of ANSI) {
    theme[name] = color(name);
    theme[`bright${capital(name)}`] = color(`bright-${name}`);
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
