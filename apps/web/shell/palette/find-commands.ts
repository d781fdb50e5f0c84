import type { App } from '../../app/context.ts';
import { foldName } from '../../lib/match/fold.ts';
import { type Candidate, isScattered, rankAll, toCandidate, toWords } from '../../lib/match/rank.ts';
import { findServers } from '../../servers/find/find.ts';
import { isEmptyQuery, parseQuery } from '../../servers/find/query.ts';
import type { KnownServers } from '../../servers/known-servers.ts';
import { addressOf, type Server } from '../../servers/servers.ts';
import type { Command } from '../../workspace/commands/command.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Opening } from '../rail/opening.ts';

const MOST_FOUND = 50;
const MOST_RECENTS = 5;
const MOST_OF_VERB = 5;
const SHORTEST_VERB = 2;

interface Parts {
  readonly app: App;
  readonly workspace: Workspace;
  readonly known: KnownServers;
  readonly opening: Opening;
  readonly is_read_only: boolean;
}

interface Ranked {
  readonly item: Command;
  readonly rank: number;
}

/** Servers and commands that match, best first; without a query, the last opened servers and then the commands. */
export function findCommands(text: string, commands: readonly Command[], parts: Parts): readonly Command[] {
  const recents = parts.known.own.recents();
  const toCommand = (server: Server) => serverCommand(server, parts);
  if (isEmptyQuery(parseQuery(text))) {
    const servers = recents.flatMap((id) => parts.known.serverOf(id) ?? []).slice(0, MOST_RECENTS);
    return [...servers.map(toCommand), ...commands].slice(0, MOST_FOUND);
  }
  const servers = rankedServers(text, parts).map(({ server, rank }) => ({ item: toCommand(server), rank }));
  const candidates = rankCommands(text, commands);
  return inOrder([...servers, ...candidates, ...verbCommands(text, parts)]);
}

/** By the starts of words in titles, hints and other names: letters anywhere would find too many sentences. */
export function rankCommands(text: string, commands: readonly Command[]): readonly Ranked[] {
  return rankAll(toWords(text.split(/\s+/)), commands, candidateOf);
}

const candidates = new WeakMap<Command, Candidate>();

/** Prepared once for each opening of the palette, rather than with each letter typed. */
function candidateOf(command: Command): Candidate {
  const known = candidates.get(command);
  if (known) return known;
  const { title, hint, also = '' } = command;
  const candidate = toCandidate({ name: title, labels: [hint, ...also.split(', ')], at_starts: true });
  candidates.set(command, candidate);
  return candidate;
}

/** Servers come first among equals; scattered letters count only if nothing else does. */
function inOrder(found: readonly Ranked[]): Command[] {
  const sure = found.filter(({ rank }) => !isScattered(rank));
  const shown = [...(sure.length > 0 ? sure : found)].sort((one, other) => one.rank - other.rank);
  return shown.slice(0, MOST_FOUND).map(({ item }) => item);
}

function rankedServers(text: string, { known }: Parts) {
  const index = known.index();
  const query = parseQuery(text);
  return index ? findServers(query, index, known.surroundingsOf(query)).slice(0, MOST_FOUND) : [];
}

/** One entry for each server: a terminal, its files with Alt, and beside with Ctrl. */
function serverCommand(server: Server, { opening }: Parts): Command {
  return {
    title: server.name,
    hint: addressOf(server),
    server,
    run: (how) => (how === 'beside' ? opening.openBeside(server) : opening.open(server, how)),
  };
}

/** An action and a server in one query, such as `edit web12` or `web12 files`. */
function verbCommands(text: string, parts: Parts): Ranked[] {
  const words = text.trim().split(/\s+/);
  if (words.length < 2) return [];
  const verbs = verbsOf(parts);
  return [...new Set([0, words.length - 1])].flatMap((at) => {
    const typed = foldName(words[at] ?? '').text;
    const wanted = verbs.filter(({ title }) => isVerb(typed, title('')));
    if (wanted.length === 0) return [];
    const rest = words.filter((_, index) => index !== at).join(' ');
    const servers = rankedServers(rest, parts).slice(0, MOST_OF_VERB);
    return servers.flatMap(({ server, rank }) =>
      wanted.map(({ title, run }) => ({
        item: { title: title(server.name), hint: addressOf(server), run: () => run(server) },
        rank,
      })),
    );
  });
}

function isVerb(typed: string, title: string): boolean {
  return (
    typed.length >= SHORTEST_VERB && title.split(/\s+/).some((word) => foldName(word).text.startsWith(typed))
  );
}

interface Verb {
  title(name: string): string;
  run(server: Server): void;
}

function verbsOf({ app: { t, session }, workspace: { show }, opening, is_read_only }: Parts): Verb[] {
  const verb = (key: 'open_terminal' | 'open_files' | 'test_of' | 'edit_of', run: Verb['run']): Verb => ({
    title: (name) => t(key, { name }),
    run,
  });
  return [
    verb('open_terminal', (server) => opening.open(server, 'terminal')),
    verb('open_files', (server) => opening.open(server, 'files')),
    ...(is_read_only ? [] : [verb('test_of', (server) => show({ kind: 'test', server }))]),
    ...(is_read_only || !session.user()?.is_admin
      ? []
      : [verb('edit_of', (server) => show({ kind: 'server_form', server }))]),
  ];
}
