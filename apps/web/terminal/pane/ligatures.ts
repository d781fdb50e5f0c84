import type { Terminal } from '@xterm/xterm';

/** Signs that programming fonts draw as one. A longer run is a ruler. */
const SIGNS = /[-=<>!|&+*/~#?.:;$%^_\\@]{2,}/g;
const MOST_SIGNS = 8;

/** Where runs of signs begin and end. Which of them are one sign is up to the font. */
export function runsOfSigns(text: string): [number, number][] {
  return [...text.matchAll(SIGNS)]
    .filter(({ 0: run }) => run.length <= MOST_SIGNS)
    .map(({ 0: run, index }) => [index, index + run.length]);
}

/** Draws signs such as `->` as the font combines them, if it is wanted. */
export function createLigatures(terminal: Terminal): (is_on: boolean) => void {
  let joiner: number | undefined;
  return (is_on) => {
    terminal.element?.style.setProperty('font-variant-ligatures', is_on ? 'normal' : 'none');
    if (is_on === (joiner !== undefined)) return;
    if (joiner !== undefined) terminal.deregisterCharacterJoiner(joiner);
    joiner = is_on ? terminal.registerCharacterJoiner(runsOfSigns) : undefined;
  };
}
