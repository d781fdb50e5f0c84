import { type Accessor, createSignal, onCleanup } from 'solid-js';

/** Calls back when the network or the user returns. */
export function onReturn(listener: () => void): () => void {
  const onVisible = () => void (document.hidden || listener());
  window.addEventListener('online', listener);
  window.addEventListener('pageshow', listener);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('pageshow', listener);
    document.removeEventListener('visibilitychange', onVisible);
  };
}

export function createPageHidden(): Accessor<boolean> {
  const [is_hidden, setHidden] = createSignal(document.hidden);
  const follow = () => setHidden(document.hidden);
  document.addEventListener('visibilitychange', follow);
  onCleanup(() => document.removeEventListener('visibilitychange', follow));
  return is_hidden;
}
