import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { freshAddress } from '../gateway/gateway.ts';

/** Headless Chromium without GPU or background features: a window takes two thirds of the CPU time. */
const PATIENT_MS = 60_000; // on a machine with much else to do
const PROGRAM = '/usr/bin/chromium-headless-shell';
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--process-per-site', // the pages of all gateways share one renderer and what it has compiled
  // A test's page is closed before optimized code pays off: compiling it took a sixth of the CPU time.
  '--js-flags=--no-opt --no-maglev --single-threaded-gc',
  // Messages to two more processes took a tenth.
  '--in-process-gpu',
  '--enable-features=NetworkServiceInProcess2',
];

/** The full browser, with its PDF viewer. */
export const WHOLE_BROWSER = '/usr/bin/chromium';

export interface BrowserOptions extends BrowserContextOptions {
  readonly executablePath?: string;
  /** More options of the command line. */
  readonly args?: readonly string[];
}

export interface Browser {
  readonly page: Page;
  /** Problems a user would not see: page errors, CSP violations and requests to other origins. */
  problems(): string[];
  /** Requests that failed, for the message of a test that failed. */
  failures(): string[];
  /** Serious axe findings on the current page. */
  accessibility(): Promise<string[]>;
  /** Texts that are hard to read with the colors of the system in place of the page's, in both themes. */
  forcedColors(): Promise<string[]>;
  /** Closes every page and deletes its storage. */
  close(): Promise<void>;
}

/** Opens the gateway in this process's browser, signed in if a token is given. */
export async function visit(url: string, token?: string, options: BrowserOptions = {}): Promise<Browser> {
  const { context, idle } = await runningBrowser(options);
  await holdRenderer(idle, url);
  const page = await context.newPage();
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': freshAddress() }); // the sign-in limit counts per address
  const seed = token === undefined ? undefined : await page.addInitScript(keepToken, token);
  const problems = watchProblems(page, url);
  const failures = watchFailures(page);
  await page.goto(`${url}/#/?renderer=dom`); // `dom` keeps the terminal's text readable
  await seed?.dispose(); // from here on the page manages its own token
  return {
    page,
    problems: () => [...problems],
    failures: () => [...failures],
    accessibility: () => audit(page),
    forcedColors: () => auditForced(page),
    close: () => forget(context, idle, url),
  };
}

interface RunningBrowser {
  readonly context: BrowserContext;
  /** Stays open, because the browser exits with its last page. */
  readonly idle: Page;
}

/** One browser per set of options, kept until this process exits: starting one takes as long as several tests. */
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
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    acceptDownloads: true,
    reducedMotion: 'reduce', // animations take a quarter of a page's CPU time
    ...options,
    args: [...ARGS, ...(options.args ?? [])],
  });
  context.setDefaultTimeout(PATIENT_MS);
  context.once('close', () => running.delete(JSON.stringify(options)));
  return { context, idle: context.pages()[0] ?? (await context.newPage()) };
}

/** A renderer exits with the last page of its site, and all test gateways are one site. */
async function holdRenderer(idle: Page, url: string): Promise<void> {
  if (idle.url() === 'about:blank') await idle.goto(`${url}/api/health`);
}

/** Runs in the page, before the page's own scripts. */
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

/** Collects problems from now on. */
export function watchProblems(page: Page, url: string): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.stack ?? error.message}`));
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

function watchFailures(page: Page): string[] {
  const failures: string[] = [];
  page.on('requestfailed', (request) => {
    failures.push(`${request.method()} ${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
  });
  return failures;
}

/** Uses the debugger's evaluate, which the page's CSP does not restrict. */
export async function audit(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A dialog that opens or closes hides and shows the page behind it a timer and a frame later.
  await page.evaluate(
    'new Promise((settled) => setTimeout(() => requestAnimationFrame(() => setTimeout(settled))))',
  );
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const found = await page.evaluate<Finding[]>(
    `axe.run({ resultTypes: ["violations"]${rules ? `, runOnly: ${JSON.stringify(rules)}` : ''} }).then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, target: String(nodes[0]?.target) })))`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, target }) => `${id}: ${target}`);
}

/** Other rules do not depend on colors. */
async function auditForced(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, forcedColors: 'active' });
    found.push(...(await audit(page, ['color-contrast'])).map((one) => `${colorScheme}: ${one}`));
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null });
  return found;
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly target: string;
}
