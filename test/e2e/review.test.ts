import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { parseReviewScheme } from '../../src/server/work/review/reviewScheme.ts';
import type { ReviewSettings } from '../../src/server/work/review/reviews.ts';
import type { ReviewResponse } from '../../src/shared/contract/review.ts';
import { findViolationsInBoth } from '../support/axe.ts';
import { openPage } from '../support/browser.ts';
import { reviewSettings } from '../support/reviewSettings.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { isHeld, openViewer, reload } from '../support/viewerPage.ts';

/** Series 1 to 6 of CT in which each has an image more than the one before, and series 7 of MR. */
const FILES = [
  ...[1, 2, 3, 4, 5, 6].flatMap((series) =>
    Array.from({ length: series }, (_, number) => writeSlice({ number, series })),
  ),
  writeSlice({ number: 0, series: 7 }, { Modality: 'MR' }),
];

const REJECTING = parseReviewScheme({
  version: 1,
  verdicts: [
    { id: 'accept', key: '1' },
    { id: 'reject', key: '2', title: 'Do not use', reasons: ['motion', 'coverage'] },
  ],
  scores: [{ id: 'snr', key: 's', min: 1, max: 5 }],
  required: ['verdict', 'reasons'],
});

async function start(different: Partial<ReviewSettings> = {}, files: readonly Uint8Array[] = FILES) {
  const review = reviewSettings(different);
  const server = await serveWith({ inputs: files, review });
  return { server, path: review.paths[0]!, review };
}

async function unitsOf(server: TestServer) {
  const { review }: ReviewResponse = await (await server.request('/api/review')).json();
  return review!.units;
}

/** By the number of the series: what the server has. */
async function verdictsOf(server: TestServer): Promise<Record<string, string | null | undefined>> {
  const units = await unitsOf(server);
  return Object.fromEntries(
    units.flatMap(({ series, decision }) => (decision === null ? [] : [[series!.split('.').at(-1), decision.verdict]])),
  );
}

/** A line of a file of verdicts. */
function lineOf(reader: string, series: number, verdict: string): string {
  const said = {
    v: 1,
    unit: 'series',
    study: `${SLICE_UID}.100`,
    series: `${SLICE_UID}.101.${series}`,
    reader,
    verdict,
  };
  return `${JSON.stringify(said)}\n`;
}

const barOf = (page: Page) => page.getByRole('region', { name: 'Review' });

/** Resolves when the unit at this position, from 1, is on the screen. */
async function isAt(page: Page, place: number): Promise<void> {
  await barOf(page)
    .locator('[data-phase="shown"]', { hasText: `#${place} ` })
    .waitFor();
}

const seriesOf = (page: Page, cell = 0) =>
  page
    .locator(`[data-cell="${cell}"]`)
    .getByText(/^#\d+ Series/)
    .innerText();

const decidedOf = (page: Page) => barOf(page).getByRole('status', { name: 'Decided' }).innerText();

test('keys decide and go on to the next undecided unit, back, and take back, and the file has every decision', async () => {
  const { server, path } = await start();
  const { page, complaints } = await openViewer(server);
  await isAt(page, 1);
  expect(await decidedOf(page)).toBe('0 / 7');
  expect(await findViolationsInBoth(page)).toEqual([]);

  await page.keyboard.press('1');
  await isAt(page, 2);
  expect(await seriesOf(page)).toBe('#2 Series 2');
  await page.keyboard.press('2');
  await isAt(page, 3);
  await page.keyboard.press('n');
  await isAt(page, 4);
  await page.keyboard.press('3');
  await isAt(page, 5);
  await expect.poll(() => decidedOf(page)).toBe('3 / 7');
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'accept', 2: 'reject', 4: 'unsure' });

  await page.keyboard.press('f');
  await isAt(page, 3);
  await page.keyboard.press('p');
  await isAt(page, 2);
  await expect
    .poll(() =>
      barOf(page)
        .getByRole('button', { name: /reject/ })
        .getAttribute('aria-pressed'),
    )
    .toBe('true');
  // The last decision was that of unit 4.
  await page.keyboard.press('u');
  await isAt(page, 4);
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'accept', 2: 'reject' });

  // After the last one, those that were left out follow.
  for (const place of [4, 5, 6, 7]) {
    await isAt(page, place);
    await page.keyboard.press('1');
  }
  await isAt(page, 3);
  await page.keyboard.press('1');
  await page.getByText('All units are decided.').waitFor();
  await expect.poll(() => decidedOf(page)).toBe('7 / 7');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).verdict)).toEqual([
    'accept',
    'reject',
    'unsure',
    null,
    ...Array.from({ length: 5 }, () => 'accept'),
  ]);
  expect(lines.every((line) => JSON.parse(line).shown_ms > 0)).toBe(true);
  expect(complaints).toEqual([]);
});

test('windows and layout stay from unit to unit of a modality, and windows have their keys with Shift', async () => {
  const { server } = await start();
  const { page, complaints } = await openViewer(server);
  await isAt(page, 1);
  await page.keyboard.press('Shift+Digit2');
  const windowText = page.locator('[data-cell="0"]').getByText(/^W 1500 L -600/);
  await windowText.waitFor();
  await page.keyboard.press('1');
  await isAt(page, 2);
  await windowText.waitFor();

  // Series 7 is MR, of which nothing is known yet.
  for (const place of [2, 3, 4, 5, 6]) {
    await isAt(page, place);
    await page.keyboard.press('n');
  }
  await isAt(page, 7);
  await page
    .locator('[data-cell="0"]')
    .getByText(/^W 300 L 50/)
    .waitFor();
  await page.keyboard.press('p');
  await isAt(page, 6);
  await windowText.waitFor();

  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard and mouse' });
  await help.getByText('Verdict: accept').waitFor();
  await help.getByText('Shift+2', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('a study is decided as a whole, and the next one has its series in the same cells with the same windows', async () => {
  const files = [1, 2, 3].flatMap((study) =>
    ['CT', 'MR'].map((Modality, at) =>
      writeSlice(
        { number: 0, series: 10 * study + at },
        { Modality, StudyInstanceUID: `${SLICE_UID}.100.${study}`, StudyID: String(study) },
      ),
    ),
  );
  const review = reviewSettings({ level: 'study' });
  const cells = ['CT', 'MR'].map((modality) => ({ role: modality, series: `Modality = '${modality}'` }));
  const hangingRules = [{ name: 'Both', layout: '1x2' as const, cells }];
  const server = await serveWith({ inputs: files, review, domains: { hangingRules } });
  const { page, complaints } = await openViewer(server);
  await isAt(page, 1);
  await expect.poll(() => seriesOf(page, 0)).toBe('#10 Series 10');
  await expect.poll(() => seriesOf(page, 1)).toBe('#11 Series 11');
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('Shift+Digit2');
  const windowIn = (cell: number, text: RegExp) => page.locator(`[data-cell="${cell}"]`).getByText(text).waitFor();
  await windowIn(0, /^W 1500 L -600/);
  await page.keyboard.press('2');
  await isAt(page, 2);
  await expect.poll(() => seriesOf(page, 0)).toBe('#20 Series 20');
  await expect.poll(() => seriesOf(page, 1)).toBe('#21 Series 21');
  await windowIn(0, /^W 1500 L -600/);
  await windowIn(1, /^W 300 L 50/);
  await page.keyboard.press('1');
  await isAt(page, 3);
  await expect.poll(() => decidedOf(page)).toBe('2 / 3');
  const lines = readFileSync(review.paths[0]!, 'utf8').trimEnd().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { unit: 'study', study: `${SLICE_UID}.100.1`, verdict: 'reject' },
    { unit: 'study', study: `${SLICE_UID}.100.2`, verdict: 'accept' },
  ]);
  expect(complaints).toEqual([]);
});

test('what the scheme requires is asked for, fields take keys for themselves, and a draft is kept and told', async () => {
  const { server } = await start({ scheme: REJECTING });
  const { page, complaints } = await openViewer(server);
  await isAt(page, 1);
  await page.keyboard.press('2');
  await barOf(page).getByText('A reason is required:').waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);
  await expect.poll(() => isHeld(page)).toBe(true);
  // The focus is in the reasons: the second is chosen, and Enter goes on.
  await page.keyboard.press('2');
  await page.keyboard.press('Enter');
  await isAt(page, 2);
  await expect.poll(() => isHeld(page)).toBe(false);

  // A score by its key and a digit; a comment that has the letters of shortcuts.
  await page.keyboard.press('s');
  await page.keyboard.press('4');
  await page.keyboard.press('c');
  await page.keyboard.type('n1 up');
  await page.keyboard.press('Enter');
  await isAt(page, 2);
  expect(await verdictsOf(server)).toEqual({ 1: 'reject' });
  await page.keyboard.press('n');
  await isAt(page, 3);
  const draft = page.getByRole('region', { name: 'Decisions that are not complete' });
  await draft.getByText('Unit 2 needs a verdict').waitFor();
  await draft.getByRole('button', { name: 'Show' }).click();
  await isAt(page, 2);
  await page.keyboard.press('1');
  await isAt(page, 3);
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'reject', 2: 'accept' });
  const [first, second] = await unitsOf(server);
  expect(first!.decision).toMatchObject({ reasons: ['coverage'] });
  expect(second!.decision).toMatchObject({ scores: { snr: 4 }, comment: 'n1 up' });
  await expect.poll(() => isHeld(page)).toBe(false);
  expect(complaints).toEqual([]);
});

test('a decision that cannot be written stays in sight and is written when it can be', async () => {
  const { server } = await start();
  const { page } = await openViewer(server);
  await isAt(page, 1);
  const full = { code: 'review_not_written', error: 'the decision could not be written: the disk is full' };
  await page.route('**/api/review/*', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 507, json: full }) : route.continue(),
  );
  await page.keyboard.press('1');
  await isAt(page, 2);
  await page.keyboard.press('2');
  await isAt(page, 3);
  const notice = page.getByRole('region', { name: 'Decisions that are not written' });
  await notice.getByText(/2 decisions are not written: .*the disk is full/).waitFor();
  expect(await isHeld(page)).toBe(true);
  await page.keyboard.press('p');
  await isAt(page, 2);
  await expect
    .poll(() =>
      barOf(page)
        .getByRole('button', { name: /reject/ })
        .getAttribute('aria-pressed'),
    )
    .toBe('true');
  expect(await verdictsOf(server)).toEqual({});

  const locked = { code: 'review_locked', error: 'another negato writes the file of this review' };
  await page.unrouteAll();
  await page.route('**/api/review/*', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 423, json: locked }) : route.continue(),
  );
  await notice.getByRole('button', { name: 'Try again' }).click();
  await notice.getByText(/another negato writes/).waitFor();
  await page.unrouteAll();
  await notice.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'accept', 2: 'reject' });
  await expect.poll(() => notice.count()).toBe(0);
  await expect.poll(() => isHeld(page)).toBe(false);
});

test('decisions that the server had not written are written by the next run, to the same units under other numbers', async () => {
  const review = reviewSettings();
  const folder = createTempFolder();
  for (const [number, file] of FILES.entries()) writeBelow(folder, `n${number}.dcm`, file);
  const server = await serveWith({ inputs: [folder], review });
  const { page } = await openViewer(server);
  await isAt(page, 1);
  await page.keyboard.press('1');
  await isAt(page, 2);
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'accept' });
  const full = { code: 'review_not_written', error: 'the decision could not be written: the disk is full' };
  await page.route('**/api/review/*', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 507, json: full }) : route.continue(),
  );
  await page.keyboard.press('2');
  await isAt(page, 3);
  await page.keyboard.press('3');
  await isAt(page, 4);
  await page.getByText(/2 decisions are not written/).waitFor();
  await server.close();
  await page.getByText('Connection to negato lost').waitFor();
  await page.unrouteAll();

  // In front of all others, so that every file and unit has another number.
  writeBelow(folder, 'a.dcm', writeSlice({ number: 0, series: 8 }));
  const listen = { kind: 'tcp', host: '127.0.0.1', port: server.port } as const;
  const next = await serveWith({ inputs: [folder], review, server: { listen } });
  await expect.poll(() => verdictsOf(next)).toEqual({ 1: 'accept', 2: 'reject', 3: 'unsure' });
  await expect.poll(() => isHeld(page)).toBe(false);
  expect(await page.getByText(/not written/).count()).toBe(0);
});

test('a decision that is taken back while it is on its way stays taken back', async () => {
  const { server } = await start();
  const { page } = await openViewer(server);
  await isAt(page, 1);
  const held = new AbortController();
  const released = once(held.signal, 'abort');
  await page.route('**/api/review/*', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    const response = await route.fetch();
    await released;
    return route.fulfill({ response });
  });
  await page.keyboard.press('1');
  await isAt(page, 2);
  // The server has it, and the page does not know that yet.
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'accept' });
  await page.keyboard.press('u');
  await isAt(page, 1);
  held.abort();
  await expect.poll(() => verdictsOf(server)).toEqual({});
  await expect.poll(() => isHeld(page)).toBe(false);
  await expect.poll(() => decidedOf(page)).toBe('0 / 7');
});

test('two browsers: the decision of the other one appears, and the user decides between two', async () => {
  const { server } = await start();
  const first = await openViewer(server);
  await isAt(first.page, 1);
  const { page: second } = await openPage({ viewport: { width: 1280, height: 800 } });
  await second.goto(server.baseUrl);
  await isAt(second, 1);

  await first.page.keyboard.press('2');
  await isAt(first.page, 2);
  const rejected = barOf(second).getByRole('button', { name: /reject/ });
  await expect.poll(() => rejected.getAttribute('aria-pressed')).toBe('true');
  expect(await decidedOf(second)).toBe('1 / 7');

  // The second browser has not heard of what the first one decides of unit 2.
  await second.keyboard.press('n');
  await isAt(second, 2);
  await second.route('**/api/review?*', (route) => route.abort());
  await first.page.keyboard.press('1');
  await isAt(first.page, 3);
  await second.keyboard.press('3');
  const question = second.getByRole('region', { name: 'Decided elsewhere' });
  await question.getByText(/Unit 2 was decided in another window meanwhile: accept. Here it is unsure/).waitFor();
  expect(await isHeld(second)).toBe(true);
  expect(await verdictsOf(server)).toEqual({ 1: 'reject', 2: 'accept' });
  await second.unrouteAll();
  await question.getByRole('button', { name: 'Keep mine' }).click();
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'reject', 2: 'unsure' });
  await expect.poll(() => question.count()).toBe(0);
  await expect.poll(() => isHeld(second)).toBe(false);
});

test('a reload goes on with the unit on the screen, and a unit that the user opens is the one that is decided', async () => {
  const { server } = await start();
  const { page } = await openViewer(server);
  await isAt(page, 1);
  await page.keyboard.press('1');
  await isAt(page, 2);
  await expect.poll(() => page.url()).toContain(`${SLICE_UID}.2.`);
  await reload(page);
  await isAt(page, 2);

  await page
    .getByRole('tree')
    .getByRole('treeitem', { name: /Series 5/ })
    .click();
  await isAt(page, 5);
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('2');
  // The next undecided one follows, and not one that was before.
  await isAt(page, 6);
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'accept', 5: 'reject' });
});

test('a blind review says nothing of patients, series and other readers', async () => {
  const other = reviewSettings().paths[0]!;
  writeFileSync(other, lineOf('benjamin', 1, 'reject'));
  const { server } = await start({ paths: [...reviewSettings().paths, other], seed: '2026' });
  const { page } = await openViewer(server);
  await isAt(page, 1);
  await page.keyboard.press('1');
  await isAt(page, 2);
  await page.keyboard.press('b');
  const text = await page.locator('body').innerText();
  for (const word of ['Doe', 'P1', 'Series', 'benjamin', 'Explorer']) expect(text).not.toContain(word);
});

test('a second reading shows what both readers have said, and writes the consensus', async () => {
  const own = reviewSettings();
  const other = reviewSettings().paths[0]!;
  writeFileSync(
    other,
    [
      lineOf('anna', 1, 'accept'),
      lineOf('ben', 1, 'accept'),
      lineOf('anna', 2, 'accept'),
      lineOf('ben', 2, 'reject'),
      lineOf('anna', 3, 'unsure'),
      lineOf('ben', 3, 'reject'),
    ].join(''),
  );
  const { server } = await start({ paths: [...own.paths, other], reader: 'consensus', isSecond: true });
  const { page } = await openViewer(server);
  await isAt(page, 1);
  expect(await decidedOf(page)).toBe('0 / 2');
  await barOf(page).getByText('anna', { exact: true }).waitFor();
  expect(await barOf(page).locator('dd').allInnerTexts()).toEqual(['accept', 'reject']);
  await page.keyboard.press('2');
  await isAt(page, 2);
  expect(await barOf(page).locator('dd').allInnerTexts()).toEqual(['unsure', 'reject']);
  await expect.poll(() => verdictsOf(server)).toEqual({ 2: 'reject' });
});

test('a verdict is given to many in the gallery, whose tiles show it, and taken back at once', async () => {
  const { server } = await start();
  const { page, complaints } = await openViewer(server, { address: '#cohort=gallery.series' });
  const tiles = page.getByRole('grid', { name: 'Gallery' }).getByRole('gridcell');
  await expect.poll(() => tiles.count()).toBe(7);
  await tiles.nth(0).click();
  await tiles.nth(2).click({ modifiers: ['Shift'] });
  await page.getByRole('group', { name: 'Selected rows' }).getByText('3 of 7 series selected').waitFor();
  await page.getByRole('button', { name: 'Verdict on what is selected' }).click();
  await page.getByRole('button', { name: /^reject/ }).click();
  await page.getByText('Decided 3 series: reject').waitFor();
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'reject', 2: 'reject', 3: 'reject' });
  await tiles.nth(1).getByText('Verdict: reject').waitFor();
  expect(await findViolationsInBoth(page)).toEqual([]);

  await tiles.nth(5).click();
  await page.keyboard.press('1');
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'reject', 2: 'reject', 3: 'reject', 6: 'accept' });
  await page.keyboard.press('u');
  await page.getByText('The decision was taken back.').waitFor();
  await expect.poll(() => verdictsOf(server)).toEqual({ 1: 'reject', 2: 'reject', 3: 'reject' });
  await page.keyboard.press('u');
  await page.getByText('3 decisions were taken back.').waitFor();
  await expect.poll(() => verdictsOf(server)).toEqual({});

  // Who opens a row decides on it.
  await tiles.nth(4).dblclick();
  await isAt(page, 5);
  await page.keyboard.press('3');
  await isAt(page, 6);
  await expect.poll(() => verdictsOf(server)).toEqual({ 5: 'unsure' });
  expect(complaints).toEqual([]);
});

test('in the lightbox, files are decided side by side', async () => {
  const { server } = await start({ level: 'file' });
  const { page } = await openViewer(server, { address: `#cell=${SLICE_UID}.5.1,1` });
  await isAt(page, 11);
  await page.keyboard.press('Alt+a');
  const images = page.getByRole('grid', { name: 'Images' }).getByRole('gridcell');
  await images.nth(1).click();
  await images.nth(3).click({ modifiers: ['Shift'] });
  await page.keyboard.press('2');
  await page.getByText('Decided 3 files: reject').waitFor();
  const decided = async () =>
    (await unitsOf(server)).flatMap(({ instance, decision }) =>
      decision === null ? [] : instance!.slice(SLICE_UID.length),
    );
  await expect.poll(decided).toEqual(['.5.2', '.5.3', '.5.4']);
});
