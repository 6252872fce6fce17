import { fill, GRAY_IMAGE, type GoldenCase } from '../../support/goldenCase.ts';

/** A circle cut by a rectangle, surrounded by the gray of the Shutter Presentation Value: 0x4000 of 0xFFFF. */
export const golden: GoldenCase = {
  origin: 'PS3.3 C.7.6.11 in numpy: inside are pixels within the edges and within the radius, both included',
  elements: {
    ...GRAY_IMAGE,
    Rows: 48,
    Columns: 64,
    WindowCenter: '2048',
    WindowWidth: '4096',
    PixelData: fill(48, 64, (row, column) => column * 40 + row * 30),
    ShutterShape: ['RECTANGULAR', 'CIRCULAR'],
    ShutterLeftVerticalEdge: '10',
    ShutterRightVerticalEdge: '50',
    ShutterUpperHorizontalEdge: '5',
    ShutterLowerHorizontalEdge: '44',
    CenterOfCircularShutter: ['24', '32'],
    RadiusOfCircularShutter: '20',
    ShutterPresentationValue: { vr: 'US', value: [0x4000] },
  },
};
