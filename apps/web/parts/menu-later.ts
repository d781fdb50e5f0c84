import { createContext } from 'solid-js';

/** Runs an action once the menu has closed; without a menu that returns the focus, at once. */
export const Later = createContext((run: () => void) => run());

/** What was chosen to run later. */
export function createLater() {
  let chosen: (() => void) | undefined;
  return {
    choose(run: () => void): void {
      chosen = run;
    },
    run(): void {
      chosen?.();
      chosen = undefined;
    },
  };
}
