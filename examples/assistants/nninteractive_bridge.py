"""Lets negato ask a server of nnInteractive, which has the weights and the GPU. Its own client speaks to it.

    pip install nninteractive-client numpy
    python nninteractive_bridge.py http://gpu-server:1527 /data/study

The key of a server with `--api-key` is in NN_INTERACTIVE_API_KEY.
"""

import sys

import numpy

import negato


class Bridge:
    def __init__(self, connect):
        #: Makes a session of `nnInteractive.inference.remote`.
        self.connect = connect
        self.session = None
        #: The volume that the session has.
        self.key = None

    def prompts(self):
        supported = self.open().supported_interactions
        return [
            *(["point"] if supported.get("points", True) else []),
            *(["box"] if supported.get("bbox2d", True) or supported.get("bbox3d", False) else []),
            *(["scribble"] if supported.get("scribble", True) else []),
            *(["mask"] if self.session.supports_initial_label else []),
        ]

    def open(self):
        if self.session is None:
            self.session = self.connect()
        return self.session

    def segment(self, volume, prompts):
        try:
            return self.ask(volume, prompts)
        except Exception as error:
            # The server ends sessions that nobody has used for a while; the next one begins with the image.
            if type(error).__name__ != "SessionExpiredError":
                raise
            self.session, self.key = None, None
            return self.ask(volume, prompts)

    def ask(self, volume, prompts):
        session, array = self.open(), volume.array
        if self.key != volume.key:
            session.set_image(array[None].astype("float32"))
            session.set_target_buffer(numpy.zeros(array.shape, "u1"))
            self.key = volume.key
        session.reset_interactions()
        if prompts.mask is not None:
            session.add_initial_seg_interaction(prompts.mask.astype("u1"))
        for number, one in enumerate(prompts):
            if prompts.cancelled:
                return None
            is_last = number == len(prompts) - 1
            if one.kind == "point":
                session.add_point_interaction(one.points[0].tolist(), one.positive, run_prediction=is_last)
            elif one.kind == "box":
                low, high = one.points.tolist()
                box = [[a, b + 1] for a, b in zip(low, high)]
                session.add_bbox_interaction(box, one.positive, run_prediction=is_last)
            else:
                drawn = numpy.zeros(array.shape, "u1")
                drawn[tuple(one.points.T)] = 1
                session.add_scribble_interaction(drawn, one.positive, run_prediction=is_last)
        return numpy.asarray(session.target_buffer) > 0


def add_to(viewer, connect):
    bridge = Bridge(connect)
    viewer.assistant("nnInteractive", prompts=bridge.prompts(), seconds=600)(bridge.segment)


if __name__ == "__main__":
    from nnInteractive.inference.remote import nnInteractiveRemoteInferenceSession

    with negato.view(sys.argv[2]) as viewer:
        add_to(viewer, lambda: nnInteractiveRemoteInferenceSession(sys.argv[1]))
        input("Enter ends the viewer. ")
