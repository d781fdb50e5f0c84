import { createContext } from 'solid-js';
import type { Screen } from '../workspace.ts';

/** The screen around a section. */
export const ShownScreen = createContext<Screen>();
