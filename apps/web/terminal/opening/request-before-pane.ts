import type { TerminalSize } from '#client/terminal/target.ts';
import type { Start } from '../shell-link.ts';
import { type Drawn, expectedSize } from './expected-size.ts';

const HEAD_START_MS = 200; // on a slow network the terminal is built first

interface Starting {
  readonly element: HTMLElement;
  readonly drawn: Drawn;
  open(size: TerminalSize | undefined, start: Start): void;
  build(): Promise<void>;
}

/** Building a terminal keeps the page busy: before that the shell is requested, with the size that it will have. */
export function startShell({ element, drawn, open, build }: Starting): void {
  const expected = expectedSize(element, drawn);
  if (!expected) {
    open(undefined, { sized: build() }); // its socket opens while the terminal is built
    return;
  }
  const begun = new Promise<void>((resolve) => {
    setTimeout(resolve, HEAD_START_MS);
    open(expected, { begun: resolve });
  });
  void begun.then(build);
}
