import {
  type Range,
  rangesInLabel,
  rangesInName,
  rangesInText,
  rangesOfLetters,
} from '../../lib/match/ranges.ts';
import type { Words } from '../../lib/match/rank.ts';
import { addressOf, type Server } from '../../servers/servers.ts';

/** Why a server matched a search, apart from its name. */
export interface MatchReason {
  readonly text: string;
  readonly ranges: readonly Range[];
}

export function rangesOfName(words: Words, name: string, is_scattered: boolean): Range[] {
  if (words.joined === '') return [];
  return is_scattered ? rangesOfLetters(words, name) : rangesInName(words, name);
}

/** The tags, group, address or description that matched; otherwise the group, which tells servers of one name apart. */
export function reasonsOfMatch(words: Words, server: Server): readonly MatchReason[] {
  if (words.joined === '') return [];
  const { tags, group, hostname, description } = server;
  const matched = (texts: readonly string[], rangesIn: typeof rangesInLabel) =>
    texts.map((text) => ({ text, ranges: rangesIn(words, text) })).filter(({ ranges }) => ranges.length > 0);
  const is_named = rangesInName(words, server.name).length > 0 && words.names.length === 1;
  const labels = is_named ? [] : matched([...tags, group], rangesInLabel);
  const texts = is_named ? [] : matched([hostname, addressOf(server), description], rangesInText).slice(0, 1);
  if (labels.length + texts.length > 0) return [...labels, ...texts];
  return group === '' ? [] : [{ text: group, ranges: [] }];
}
