import { describe, expect, it } from 'vitest';
import { FAULTS } from '#core/errors.ts';
import { openApiDocument } from '#server/cli/openapi.ts';
import { breakingChanges } from '../../support/openapi/breaking.ts';
import { type ApiDocument, RELEASED_FILE, readDocument } from '../../support/openapi/released.ts';

interface Response {
  readonly description?: string;
  readonly 'x-codes'?: readonly string[];
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly 'x-access': string;
  readonly responses: Readonly<Record<string, Response>>;
}

const DOCUMENT = openApiDocument() as ApiDocument;
const OPERATIONS = Object.values(DOCUMENT.paths).flatMap((item) => Object.values(item) as Operation[]);

const idsOf = (operations: readonly Operation[]) => operations.map(({ operationId }) => operationId);

it('The document keeps what the last release promised', async () => {
  expect(await breakingChanges(readDocument(RELEASED_FILE), DOCUMENT)).toEqual([]);
});

describe('Every operation', () => {
  it('has a summary, and a description that says more', () => {
    const bare = OPERATIONS.filter(({ summary, description }) => !summary || !description);
    expect(idsOf(bare)).toEqual([]);
  });

  it('says whether it needs a token', () => {
    const wrong = OPERATIONS.filter(
      (operation) => (operation['x-access'] === 'public') !== (operation.security?.length === 0),
    );
    expect(idsOf(wrong)).toEqual([]);
  });

  it('lists the codes of each refusal, with their statuses', () => {
    const wrong = OPERATIONS.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => /^[45]\d\d$/.test(status))
        .filter(([status, { 'x-codes': codes = [] }]) => codes.length === 0 || !codes.every(has(status)))
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(wrong).toEqual([]);
  });
});

const has = (status: string) => (code: string) =>
  Object.entries(FAULTS).some(([name, row]) => name === code && String(row.status) === status);
