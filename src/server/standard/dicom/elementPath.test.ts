import { expect, test } from 'vitest';
import { parseElementPath, titleOf } from './elementPath.ts';

test.each([
  ['EchoTime', 'EchoTime'],
  ['echotime', 'EchoTime'],
  ['(0018,0081)', 'EchoTime'],
  ['0018,0081', 'EchoTime'],
  // The keyword of a repeating group is that of its first group.
  ['(6000,0010)', 'OverlayRows'],
  ['(6002,0010)', '(6002,0010)'],
  ['(0019,100c)', '(0019,100C)'],
  ['SharedFunctionalGroupsSequence[0].PixelMeasuresSequence[0].SliceThickness', undefined],
  [
    '(5200,9230)[12].(0020,9111)[0].(0020,9057)',
    'PerFrameFunctionalGroupsSequence[12].FrameContentSequence[0].InStackPositionNumber',
  ],
  ['ReferencedSeriesSequence[*].SeriesInstanceUID', undefined],
  ['0019,xx0c@SIEMENS MR HEADER', '0019,xx0C@SIEMENS MR HEADER'],
  ['(0019,xx0C)@ACUSON:1.2.840.1:09', '0019,xx0C@ACUSON:1.2.840.1:09'],
  ['2005,xx0E@Philips MR Imaging DD 005[0].EchoTime', undefined],
])('%s names an element as %s', (text, name = text) => {
  expect(parseElementPath(text)).toMatchObject({ ok: true, path: { name } });
  // The name is a path to the same element.
  expect(parseElementPath(name)).toEqual(parseElementPath(text));
});

test.each([
  ['', 'is no DICOM keyword, tag or private element'],
  ['EchoTme', 'has EchoTme, which is no DICOM keyword'],
  ['EchoTime ', 'is not understood from " "'],
  ['PixelData', 'is an element with the VR OW, whose values are no texts and no numbers'],
  [
    'SharedFunctionalGroupsSequence',
    'ends in a sequence; name an element in it, such as SharedFunctionalGroupsSequence[0].…',
  ],
  ['SharedFunctionalGroupsSequence[0]', 'is not understood from "[0]"'],
  ['EchoTime[0].EchoTime', 'goes through EchoTime, which is no sequence'],
  ['PixelMeasuresSequence[10000].SliceThickness', 'names an item after 9999'],
  [`${'PixelMeasuresSequence[0].'.repeat(9)}SliceThickness`, 'goes through more than 8 sequences'],
  ['0018,xx0C@SIEMENS', 'has the group 0018, which is not private'],
  ['0019,xx0C@', 'names no private creator after @'],
  ['(0018,0081', 'is no DICOM keyword, tag or private element'],
  ['a'.repeat(513), 'is longer than 512 characters'],
])('%j is refused: it %s', (text, message) => {
  expect(parseElementPath(text)).toEqual({ ok: false, message });
});

test('the title is the name of the element in the standard', () => {
  const parsed = parseElementPath('PixelMeasuresSequence[0].SliceThickness');
  expect(parsed.ok && titleOf(parsed.path)).toBe('Slice Thickness');
});
