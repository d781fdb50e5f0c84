import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];

export interface Browser {
  readonly page: Page;
  /** What a person would never see and a test must not pass over: page errors, CSP violations, outside requests. */
  problems(): string[];
  /** Serious findings of axe on the page as it is. */
  accessibility(): Promise<string[]>;
  close(): Promise<void>;
}

/** A Chromium of its own, on the gateway's page; `dom` keeps the terminal's text readable. */
export async function openBrowser(url: string, options: BrowserContextOptions = {}): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    args: ARGS,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    acceptDownloads: true,
    ...options,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const problems = watchProblems(page, url);
  await page.goto(`${url}/#/?renderer=dom`);
  return {
    page,
    problems: () => [...problems],
    accessibility: () => audit(page),
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

function watchProblems(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text());
  });
  page.on('request', (request) => {
    const outside =
      !request.url().startsWith(url) && !/^(data|blob|chrome|chrome-extension):/.test(request.url());
    if (outside) problems.push(`outside request: ${request.url()}`);
  });
  return problems;
}

/** Through the debugger's own evaluation, which the page's policy does not concern. */
async function audit(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<Finding[]>(
    'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, target: String(nodes[0]?.target) })))',
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, target }) => `${id}: ${target}`);
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly target: string;
}
