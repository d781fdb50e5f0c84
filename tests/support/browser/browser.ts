import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { freshAddress } from '../gateway/gateway.ts';

/** Chromium without its window and what belongs to it: it takes two thirds of the processor time. */
const PROGRAM = '/usr/bin/chromium-headless-shell';
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--process-per-site', // the pages of all gateways share one renderer and what it has compiled
];

/** The browser with everything in it, such as its viewer of PDF files. */
export const WHOLE_BROWSER = '/usr/bin/chromium';

export interface BrowserOptions extends BrowserContextOptions {
  readonly executablePath?: string;
}

export interface Browser {
  readonly page: Page;
  /** What a person would never see but a test must report: page errors, CSP violations, requests to other sites. */
  problems(): string[];
  /** Serious findings of axe on the page as it is. */
  accessibility(): Promise<string[]>;
  /** Closes every page and deletes what they have stored. */
  close(): Promise<void>;
}

/** Opens a page of the gateway in the browser of this process, signed in if there is a token. */
export async function visit(url: string, token?: string, options: BrowserOptions = {}): Promise<Browser> {
  const { context, idle } = await runningBrowser(options);
  await holdRenderer(idle, url);
  const page = await context.newPage();
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': freshAddress() }); // the sign-in limit counts by address
  const seed = token === undefined ? undefined : await page.addInitScript(keepToken, token);
  const problems = watchProblems(page, url);
  await page.goto(`${url}/#/?renderer=dom`); // `dom` keeps the terminal's text readable
  await seed?.dispose(); // from now on the page looks after its token itself
  return {
    page,
    problems: () => [...problems],
    accessibility: () => audit(page),
    close: () => forget(context, idle, url),
  };
}

interface RunningBrowser {
  readonly context: BrowserContext;
  /** Stays open, because the browser ends with its last page. */
  readonly idle: Page;
}

/** One for each set of options, kept until this process ends: starting one costs as much as several tests. */
const running = new Map<string, Promise<RunningBrowser>>();

function runningBrowser(options: BrowserOptions): Promise<RunningBrowser> {
  const key = JSON.stringify(options);
  const found = running.get(key) ?? launch(options);
  running.set(key, found);
  return found;
}

async function launch(options: BrowserOptions): Promise<RunningBrowser> {
  const profile = mkdtempSync(join(process.env['SALLYPORT_TEST_BROWSERS'] ?? tmpdir(), 'profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: PROGRAM,
    args: ARGS,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    acceptDownloads: true,
    ...options,
  });
  context.once('close', () => running.delete(JSON.stringify(options)));
  return { context, idle: context.pages()[0] ?? (await context.newPage()) };
}

/** A renderer ends with the last page of its site, and all gateways of the tests are one site. */
async function holdRenderer(idle: Page, url: string): Promise<void> {
  if (idle.url() === 'about:blank') await idle.goto(`${url}/api/health`);
}

/** Runs in the page, before its own scripts. */
function keepToken(token: string): void {
  sessionStorage.setItem(`sallyport:${new URL('.', location.href).pathname}:token`, JSON.stringify(token));
}

async function forget(context: BrowserContext, idle: Page, url: string): Promise<void> {
  await Promise.all(context.pages().map((page) => page !== idle && page.close()));
  const session = await context.newCDPSession(idle);
  const { origin } = new URL(url);
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.detach();
}

/** What it is told of from now on. */
export function watchProblems(page: Page, url: string): string[] {
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
export async function audit(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
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
