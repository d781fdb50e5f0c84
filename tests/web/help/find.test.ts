import { describe, expect, it } from 'vitest';
import { findSections, type Piece } from '../../../apps/web/help/find.ts';
import { renderManual } from '../../../apps/web/help/manual/manual.ts';

const sections = renderManual({ addImage: (path) => path }).flatMap((page) => page.sections);
const pathsOf = (query: string) => findSections(query, sections).map(({ path }) => path);
const textOf = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');

describe('The search of the help', () => {
  it.each([
    ['jump host', 'servers.html#connect-through-jump-hosts'],
    ['jump hosts', 'servers.html#connect-through-jump-hosts'],
    ['JUMP  HOST', 'servers.html#connect-through-jump-hosts'],
    ['record', 'terminals.html#record-terminals'],
    ['two-factor', 'accounts.html#two-factor'],
    ['reverse proxy', 'deployment.html#behind-a-reverse-proxy'],
    ['ldap', 'accounts.html#sign-in-with-ldap'],
    ['SERVICE_ROOT_PATH', 'configuration.html#network-and-storage'],
  ])('finds %s', (query, path) => {
    expect(pathsOf(query).slice(0, 3)).toContain(path);
  });

  it('finds only sections with every word', () => {
    expect(pathsOf('jump zeppelin')).toEqual([]);
    expect(pathsOf('')).toEqual([]);
    expect(pathsOf('( [ \\')).toEqual([]);
  });

  it('marks the words in the heading and in the text around the first of them', () => {
    const [found] = findSections('jump host', sections);
    const marked = (pieces: readonly Piece[] = []) =>
      pieces.filter(({ is_match }) => is_match).map(({ text }) => text);
    expect(marked(found?.heading)).toEqual(['jump', 'host']);
    expect(marked(found?.excerpt)).toContain('jump');
    expect(textOf(found?.excerpt ?? []).length).toBeLessThan(260);
  });

  it('finds an entry of the changelog, not a whole version', () => {
    const [found] = findSections('mlkem768x25519-sha256 decrypt', sections);
    expect(found?.path).toMatch(/^changelog\.html#/);
  });
});
