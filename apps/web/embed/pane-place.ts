import type { PanePlace } from '../app/pane-place.ts';
import { strictDocument, useStrictRows, withStrictDocument } from './internals/xterm-document.ts';

export function panePlaceIn(root: ShadowRoot): PanePlace {
  return {
    document: strictDocument(root),
    open(terminal, work) {
      withStrictDocument(root, work);
      useStrictRows(terminal, root);
    },
  };
}
