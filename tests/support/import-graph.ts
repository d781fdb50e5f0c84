import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const ALIASES: Readonly<Record<string, string>> = {
  '#core/': 'apps/core/',
  '#api/': 'apps/api/',
  '#worker/': 'apps/worker/',
  '#db/': 'db/',
  '#server/': 'apps/server/',
  '#client/': 'apps/client/',
};

/** Source file → the source files it imports, type imports included. Paths are relative to the repository. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

function* sourceFiles(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (/\.(tsx?|mjs)$/.test(entry.name) && !entry.name.includes('.gen.')) yield path;
  }
}

export function importGraph(directories: readonly string[]): ImportGraph {
  const files = new Set(directories.flatMap((directory) => [...sourceFiles(directory)]));
  return new Map([...files].map((file) => [file, importsOf(file, files)]));
}

function importsOf(file: string, files: ReadonlySet<string>): Set<string> {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
  return new Set(
    importedFiles.flatMap(({ fileName }) => pathOf(file, fileName) ?? []).filter((path) => files.has(path)),
  );
}

function pathOf(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const alias = Object.keys(ALIASES).find((prefix) => specifier.startsWith(prefix));
  return alias && `${ALIASES[alias]}${specifier.slice(alias.length)}`;
}

/** `room → room` for each import from one folder of `area` into another; a file beside the folders is its own room. */
export function roomEdges(graph: ImportGraph, area: string): Set<string> {
  const edges = new Set<string>();
  for (const [file, imports] of graph) {
    const from = roomOf(file, area);
    for (const imported of imports) {
      const to = roomOf(imported, area);
      if (from && to && from !== to) edges.add(`${from} → ${to}`);
    }
  }
  return edges;
}

function roomOf(file: string, area: string): string | undefined {
  const [room] = posix.relative(area, file).split('/');
  return room === '..' ? undefined : room;
}

/** Groups of files that import each other in a circle (Tarjan's strongly connected components). */
export function cyclesIn(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  function visit(file: string): number {
    const index = order.size;
    order.set(file, index);
    stack.push(file);
    let low = index;
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === index) {
      const component = stack.splice(stack.indexOf(file));
      if (component.length > 1) cycles.push(component.sort());
    }
    return low;
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles;
}
