interface PageLife {
  readonly left: () => void;
  readonly shown_again: () => void;
}

/**
 * Tells when the page is left for good, which removes no element from it, and when the browser shows a page again that
 * it has kept. The result ends that.
 */
export function followPage({ left, shown_again }: PageLife): () => void {
  const hide = ({ persisted }: PageTransitionEvent) => !persisted && left();
  const show = ({ persisted }: PageTransitionEvent) => persisted && shown_again();
  window.addEventListener('pagehide', hide);
  window.addEventListener('pageshow', show);
  return () => {
    window.removeEventListener('pagehide', hide);
    window.removeEventListener('pageshow', show);
  };
}
