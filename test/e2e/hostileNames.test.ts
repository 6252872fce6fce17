import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openTab } from '../support/browser.ts';
import { explicit, join, part10 } from '../support/rawElements.ts';
import { SCRIPT_PAYLOADS } from '../support/scriptPayloads.ts';
import { serve } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const SERIES_DESCRIPTION = 0x0008103e;
const PATIENT_ID = 0x00100020;
const STUDY_DESCRIPTION = 0x00081030;
const FIRST_UID = 1_000;

/** Text that the page shows somewhere: in the explorer, over the image or in menus. The tags show all of it. */
const TEXT_FIELDS: readonly (readonly [tag: number, vr: string])[] = [
  [0x00080008, 'CS'],
  [0x00080050, 'SH'],
  [0x00080060, 'CS'],
  [0x00080070, 'LO'],
  [0x00080080, 'LO'],
  [0x00080081, 'ST'],
  [0x00080090, 'PN'],
  [0x00081010, 'SH'],
  [STUDY_DESCRIPTION, 'LO'],
  [SERIES_DESCRIPTION, 'LO'],
  [0x00081050, 'PN'],
  [0x00081090, 'LO'],
  [0x00082111, 'ST'],
  [0x00100010, 'PN'],
  [PATIENT_ID, 'LO'],
  [0x00101040, 'LO'],
  [0x001021b0, 'LT'],
  [0x00180015, 'CS'],
  [0x00181030, 'LO'],
  [0x00200010, 'SH'],
  [0x00200060, 'CS'],
  [0x00204000, 'LT'],
  [0x00281054, 'LO'],
  [0x00281055, 'LO'],
  [0x00290010, 'LO'],
];

/** A small image in a series of its own. Each field has a payload that differs from those of neighbouring files. */
function writeHostileFile(number: number): Uint8Array {
  const elements: [number, string, Uint8Array][] = [
    ...TEXT_FIELDS.map(([tag, vr], field): [number, string, Uint8Array] => [tag, vr, text(payloadAt(number, field))]),
    [0x00080005, 'CS', text('ISO_IR 192')],
    [0x00080016, 'UI', text('1.2.840.10008.5.1.4.1.1.7')],
    [0x00080018, 'UI', text(`2.25.${FIRST_UID + number}`)],
    [0x0020000d, 'UI', text(`2.25.${2_000 + number}`)],
    [0x0020000e, 'UI', text(`2.25.${3_000 + number}`)],
    [0x00280002, 'US', short(1)],
    [0x00280004, 'CS', text('MONOCHROME2')],
    [0x00280010, 'US', short(2)],
    [0x00280011, 'US', short(2)],
    [0x00280100, 'US', short(8)],
    [0x00280101, 'US', short(8)],
    [0x00280102, 'US', short(7)],
    [0x00280103, 'US', short(0)],
    [0x00281050, 'DS', text('100')],
    [0x00281051, 'DS', text('200')],
    [0x7fe00010, 'OB', Uint8Array.of(0, 50, 100, 150)],
  ];
  return part10(join(...elements.toSorted(([a], [b]) => a - b).map(([tag, vr, value]) => explicit(tag, vr, value))));
}

function text(value: string): Uint8Array {
  return Buffer.from(Buffer.byteLength(value) % 2 === 0 ? value : `${value} `);
}

function short(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, value >> 8);
}

function payloadAt(number: number, field: number): string {
  return SCRIPT_PAYLOADS[(number + field) % SCRIPT_PAYLOADS.length] ?? '';
}

test('there are sixty payloads and twenty-five fields', () => {
  expect([new Set(SCRIPT_PAYLOADS).size, TEXT_FIELDS.length]).toEqual([60, 25]);
});

test(
  'script in any text of a file, and in its name, is shown as text and never runs',
  { timeout: 240_000 },
  async () => {
    const folder = createTempFolder();
    for (const [number, payload] of SCRIPT_PAYLOADS.entries()) {
      writeBelow(folder, `${number} ${payload}.dcm`, writeHostileFile(number));
      writeBelow(folder, `${payload}.txt`, 'no DICOM');
    }
    const server = await serve(folder);
    expect(server.catalog.files).toHaveLength(SCRIPT_PAYLOADS.length);
    const { page, complaints } = await openTab(server);
    await page.addInitScript(() => {
      Reflect.set(window, 'pwn', () => Reflect.set(window, 'pwned', true));
    });
    await page.goto(server.baseUrl);
    const explorer = page.getByRole('navigation');
    const tags = page.getByRole('tree', { name: 'Tags' });
    const corners = page.locator('[data-cell="0"]');

    const seen: number[] = [];
    for (const _ of SCRIPT_PAYLOADS) {
      const number = await nextShown(page, seen);
      seen.push(number);
      await tags
        .getByText(`2.25.${FIRST_UID + number}`)
        .first()
        .waitFor();
      await tags.getByText(textOf(number, STUDY_DESCRIPTION)).first().waitFor();
      await explorer.getByText(textOf(number, SERIES_DESCRIPTION)).first().waitFor({ state: 'attached' });
      await corners.getByText(textOf(number, PATIENT_ID)).first().waitFor();
      expect(await tracesOf(page)).toEqual({ ran: false, elements: 0, links: 0 });
      await page.keyboard.press('PageDown');
    }

    await page.locator('summary', { hasText: 'Not shown' }).click();
    await page.getByText('Not a DICOM file').click();
    await page
      .getByText(longestAscii(SCRIPT_PAYLOADS[0] ?? ''))
      .first()
      .waitFor();
    expect(await tracesOf(page)).toEqual({ ran: false, elements: 0, links: 0 });
    expect(complaints).toEqual([]);
  },
);

/** The number of the file on screen, read from the address, once it differs from all seen before. */
async function nextShown(page: Page, seen: readonly number[]): Promise<number> {
  const shown = () => Number(/2\.25\.(\d+)/.exec(decodeURIComponent(page.url()))?.[1] ?? 0) - FIRST_UID;
  await expect.poll(() => shown() >= 0 && !seen.includes(shown()), { timeout: 60_000 }).toBe(true);
  return shown();
}

/** Traces that a payload would leave if it were interpreted as markup. */
function tracesOf(page: Page): Promise<{ ran: boolean; elements: number; links: number }> {
  return page.evaluate(() => {
    const attributes = [...document.querySelectorAll('*')].flatMap((element) => [...element.attributes]);
    return {
      ran: Reflect.has(window, 'pwned'),
      elements:
        document.querySelectorAll('[src="x"], [href="x"], base, iframe, object, embed, marquee').length +
        attributes.filter(({ name }) => name.startsWith('on')).length,
      links: attributes.filter(({ name, value }) => /href|src|action|data$/.test(name) && /script:/i.test(value))
        .length,
    };
  });
}

function textOf(number: number, tag: number): string {
  return longestAscii(
    payloadAt(
      number,
      TEXT_FIELDS.findIndex(([each]) => each === tag),
    ),
  );
}

/** The longest run of printable ASCII: the page shows control characters in its own way. */
function longestAscii(payload: string): string {
  const [longest = ''] = (payload.match(/[!-~]+( [!-~]+)*/g) ?? []).toSorted((a, b) => b.length - a.length);
  return longest;
}
