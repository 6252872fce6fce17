import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

export type WrittenRegistration = {
  readonly uid: string;
  /** The frame of reference that the others are registered with. */
  readonly into: string;
  readonly items: readonly {
    readonly from: string;
    readonly matrices: readonly (readonly number[])[];
    readonly type?: string;
  }[];
};

/** A Spatial Registration: each matrix goes from the frame of reference of its item into that of the object. */
export function registrationElements({ uid, into, items }: WrittenRegistration): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.66.1',
    SOPInstanceUID: uid,
    StudyInstanceUID: '2.25.502',
    SeriesInstanceUID: `${uid}.1`,
    SeriesDescription: `Registration ${uid}`,
    Modality: 'REG',
    FrameOfReferenceUID: into,
    RegistrationSequence: items.map(({ from, matrices, type = 'RIGID' }) => ({
      FrameOfReferenceUID: from,
      MatrixRegistrationSequence: [
        {
          MatrixSequence: matrices.map((matrix) => ({
            FrameOfReferenceTransformationMatrixType: type,
            FrameOfReferenceTransformationMatrix: matrix.map((value) => String(Number(value.toFixed(9)))),
          })),
        },
      ],
    })),
  };
}

/** Turned around z, then shifted. */
export function motion(degrees: number, [x, y, z]: readonly [number, number, number], scale = 1): number[] {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180) * scale, Math.sin((degrees * Math.PI) / 180) * scale];
  return [c, -s, 0, x, s, c, 0, y, 0, 0, scale, z, 0, 0, 0, 1];
}

export type WrittenDeformation = {
  readonly uid: string;
  /** The frame of reference of the grid, whose points go into `from`. */
  readonly into: string;
  readonly from: string;
  /** Of the points of the grid, which are `stepMm` apart, `count` along each axis. */
  readonly first: readonly [number, number, number];
  readonly stepMm: number;
  readonly count: readonly [number, number, number];
  readonly vectorAt: (point: readonly [number, number, number]) => readonly [number, number, number];
  /** Vectors that are written; all if undefined. */
  readonly written?: number;
};

/** A Deformable Spatial Registration: a point p of the object goes to p + v(p) in the frame of reference of the source. */
export function deformationElements(deformation: WrittenDeformation): DataSetInput {
  const { uid, into, from, first, stepMm, count, vectorAt, written = Infinity } = deformation;
  const vectors: number[] = [];
  for (let plane = 0; plane < count[2]; plane += 1) {
    for (let row = 0; row < count[1]; row += 1) {
      for (let column = 0; column < count[0]; column += 1) {
        vectors.push(...vectorAt([first[0] + column * stepMm, first[1] + row * stepMm, first[2] + plane * stepMm]));
      }
    }
  }
  return {
    ...registrationElements({ uid, into, items: [] }),
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.66.3',
    RegistrationSequence: undefined,
    DeformableRegistrationSequence: [
      {
        SourceFrameOfReferenceUID: from,
        DeformableRegistrationGridSequence: [
          {
            ImagePositionPatient: first.map(String),
            ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
            GridDimensions: [...count],
            GridResolution: [stepMm, stepMm, stepMm],
            VectorGridData: Float32Array.from(vectors.slice(0, 3 * written)),
          },
        ],
      },
    ],
  };
}
