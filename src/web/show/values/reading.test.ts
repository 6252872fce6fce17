import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import { cellOf, openAtStart } from '../../kit/state/cells.ts';
import { libraryOf, stackOf } from '../../kit/state/library.ts';
import { createPage } from '../../kit/state/page.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import {
  describeStored,
  NOTHING_SHOWN,
  probesOf,
  probeWithReports,
  setProbe,
  setReport,
  type ShownImage,
  watchReport,
} from '../pictures/viewports.ts';
import { findValued, readingOf, readingsOf } from './reading.ts';

test('a reading of a stored frame is not used for a plane with the same header, nor the other way round', () => {
  const page = createPage();
  const file = createFileRecord(0, { support_state: 'renderable', frame_count: 1, modality: 'RTDOSE' });
  libraryOf(page).setState({ files: [file] });
  openAtStart(page, 0, stackOf(page, file));
  const source = pictureOf(page, 0)!;
  const { invert, colorMap } = cellOf(page, 0);
  const look = { position: 0, chosen: undefined, invert, colorMap };
  const stored: ShownImage = { ...look, source, ...describeStored(source, 0, file) };
  const plane: ShownImage = { ...look, source: { ...source, headerOf: () => ({ file, frame: 0 }) } };
  const show = (shown: ShownImage) => setReport(page, 0, { ...NOTHING_SHOWN, status: 'ready', shown });

  show(plane);
  const reading = { unit: 'Gy', origin: '', toValue: (value: number) => value, ofModality: { slope: 1, intercept: 0 } };
  const about = { reading, rival: undefined, id: 'modality', ids: ['modality'], caveats: [] };
  readingsOf(page).setState({ readings: new Map([[0, { ...findValued(page, 0)!, ...about }]]) });
  expect(readingOf(page, 0)).toBe(reading);
  show(stored);
  expect(readingOf(page, 0)).toBeUndefined();
});

test('what is written with a picture has the value of the same picture under the pointer', () => {
  const page = createPage();
  // The dose of a plane and the number that is stored for it.
  let onScreen = sample(1050);
  probeWithReports(page, 0, () => setProbe(page, 0, onScreen));
  const written: unknown[] = [];
  watchReport(page, 0).subscribe(() => written.push(probesOf(page).getState().probes.get(0)?.value));
  setReport(page, 0, { ...NOTHING_SHOWN, status: 'ready' });
  onScreen = sample(2.1);
  setReport(page, 0, { ...NOTHING_SHOWN, status: 'ready' });
  expect(written).toEqual([1050, 2.1]);
});

function sample(value: number) {
  return { column: 0, row: 0, stored: value, value, isPadding: false };
}
