import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '#core/errors.ts';
import { HELP } from '#server/cli/help.ts';
import { openApiDocument } from '#server/cli/openapi.ts';
import { en } from '../apps/web/i18n/en.ts';

/** Words and phrases that read as translated, and British spelling. Each was in a text before. */
const RETIRED = [
  /colour|neighbour|favourite|honour|behaviour/i,
  /(recogn|normal|neutral)is/i,
  /\b(whoever|meanwhile|anew|joiners?)\b/i,
  /\b(mend|mends|mended)\b/i,
  /\b(tells?|told) of\b/i,
  /\b(is|are) to be\b/i,
  /\bbe it\b/i,
  /\bby (so much|turns)\b/i,
  /\bput right\b/i,
  /\bbroken off\b/i,
  /\bthis is no\b/i,
  /\bpresent (screen|key)\b/i,
  /\bgoes on elsewhere\b/i,
  /\bwhat is absent\b/i,
  /\bjust now\b/i,
  /\bfor ever\b/i,
  /\bwithout regard to\b/i,
  /\btime-outs?\b/i,
];

const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

const textsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
};

const retired = (texts: readonly string[]) =>
  texts.filter((text) => RETIRED.some((pattern) => pattern.test(text)));

/** Whole paragraphs, since a phrase may be wrapped. */
const paragraphs = (page: string) =>
  readFileSync(page, 'utf8')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' '));

describe('No retired phrase', () => {
  it('is in the English catalogue', () => {
    expect(retired(textsOf(en))).toEqual([]);
  });
  it('is in the details of refusals', () => {
    expect(retired(Object.values(FAULTS).map(({ detail }) => detail))).toEqual([]);
  });
  it('is in the help of the command line', () => {
    expect(retired(textsOf(HELP))).toEqual([]);
  });
  it('is in the API document', () => {
    expect(retired(textsOf(openApiDocument()))).toEqual([]);
  });
  it.each(PAGES)('is in %s', (page) => {
    expect(retired(paragraphs(page))).toEqual([]);
  });
});
