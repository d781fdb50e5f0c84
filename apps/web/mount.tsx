import { render } from 'solid-js/web';
import type { PreferenceValues } from './app/preferences.ts';
import { createTokenKeeper } from './app/session.ts';
import { Interface } from './interface.tsx';
import { documentPlace } from './lib/root.ts';
import './styles/fonts/fonts.ts';

/** Renders the interface into an element; returns a function that removes it. */
export function mount(element: HTMLElement): () => void {
  const keeper = createTokenKeeper();
  return render(() => <Interface keeper={keeper} place={documentPlace()} given={givenByHash()} />, element);
}

/** `#/?renderer=dom` renders terminal text in the DOM. */
function givenByHash(): Partial<PreferenceValues> {
  const query = new URLSearchParams(location.hash.split('?')[1]);
  return query.get('renderer') === 'dom' ? { renderer: 'dom' } : {};
}
