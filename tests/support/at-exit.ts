const undoings = new Set<() => void>();

/** Runs at the exit of this process unless it is called off: one listener for all, since Node warns of more than ten. */
export function atExit(undo: () => void): () => void {
  if (undoings.size === 0) process.once('exit', undoAll);
  undoings.add(undo);
  return () => {
    undoings.delete(undo);
    if (undoings.size === 0) process.off('exit', undoAll);
  };
}

function undoAll(): void {
  for (const undo of undoings) undo();
}
