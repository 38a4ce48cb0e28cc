"""Objects of script classes that change while lists, dicts, branches and loops of the model contain them: every alias sees the change."""
from typing import Dict, List, Optional

import torch
from torch import Tensor

from case import Family, fill, whole

family = Family("trackers", opset=13)
ROWS = [(fill(3, 4), whole(2)), (fill(5, 4), whole(4)), (fill(1, 4), whole(0)), (fill(4, 4), whole(1))]


@torch.jit.script
class Track:
    def __init__(self, place: Tensor, age: int):
        self.place = place
        self.age = age
        self.hits = 0

    def see(self, x: Tensor) -> None:
        self.place = self.place * 0.5 + x
        self.hits += 1
        self.age = 0

    def score(self) -> float:
        return float(self.place.sum()) + self.age


@torch.jit.script
class Tracker:
    def __init__(self):
        self.tracks: List[Track] = []

    def update(self, x: Tensor) -> int:
        for track in self.tracks:
            track.age += 1
        for i in range(x.size(0)):
            best, least = -1, 2.0
            for k, track in enumerate(self.tracks):
                distance = float((track.place - x[i]).abs().sum())
                if distance < least:
                    best, least = k, distance
            if best >= 0:
                self.tracks[best].see(x[i])
            else:
                self.tracks.append(Track(x[i], 0))
        kept: List[Track] = []
        for track in self.tracks:
            if track.age < 2:
                kept.append(track)
        self.tracks = kept
        return len(kept)


@family.on(*ROWS)
def tracked(x: Tensor, n: Tensor):
    tracker = Tracker()
    found, hits = 0, 0
    for i in range(int(n)):
        found += tracker.update(x * (i + 1))
    total = torch.zeros(4)
    for track in tracker.tracks:
        total = total + track.place
        hits += track.hits
    return total, hits, found


@family.on(*ROWS)
def by_number(x: Tensor, n: Tensor):
    tracks = [Track(x[0], 0), Track(x[0] * 2, 1)]
    for i in range(int(n)):
        tracks[i % 2].place = tracks[i % 2].place + 1
        tracks[i % 2].hits += i
    return tracks[0].place, tracks[1].place, tracks[0].hits, tracks[1].hits


@family.on(*ROWS)
def second_name(x: Tensor, n: Tensor):
    first = Track(x[0], 0)
    second = first
    if int(n) > 1:
        second = Track(x[-1], 5)
    second.see(x[0] * 3)
    return first.place, first.hits, second.place, second.age


@family.on(*ROWS)
def each_of_many(x: Tensor, n: Tensor):
    tracks: List[Track] = []
    for i in range(x.size(0)):
        tracks.append(Track(x[i], i))
    for track in tracks:
        if track.score() > 0:
            track.see(x[0])
    for i in range(int(n)):
        tracks[i % len(tracks)].see(x[-1])
    return torch.stack([track.place for track in tracks]), [track.hits for track in tracks]


@family.on(*ROWS)
def twice_in_a_list(x: Tensor, n: Tensor):
    first, second = Track(x[0], 0), Track(x[0], 1)
    same = 0
    tracks = [first, second, first]
    for track in tracks:
        if track is first:
            same += 1
        track.hits += 1
    picked = tracks[int(n) % 3]
    return same, first.hits, second.hits, picked is first, picked is not second


@family.on(*ROWS)
def keyed(x: Tensor, n: Tensor):
    tracks: Dict[str, Track] = {"a": Track(x[0], 1), "b": Track(x[0] * 2, 5)}
    for i in range(int(n)):
        for key in ["a", "b"]:
            tracks[key].see(x[i % x.size(0)])
        if i == 1:
            tracks["b"] = tracks["a"]
    return tracks["a"].place, tracks["b"].place, tracks["b"].hits


@family.on(*ROWS)
def perhaps(x: Tensor, n: Tensor):
    track: Optional[Track] = None
    for i in range(x.size(0)):
        if float(x[i, 0]) > 0:
            if track is None:
                track = Track(x[i], i)
            else:
                track.see(x[i])
    if track is None:
        return torch.zeros(4), -1
    return track.place, track.hits


@family.on(*ROWS)
def written_through(x: Tensor, n: Tensor):
    tracks = [Track(x[0].clone(), 0), Track(x[0] * 2, 1)]
    tracks[int(n) % 2].place.add_(1)
    tracks[0].place[1] = 7
    return tracks[0].place, tracks[1].place


@torch.jit.script
class Held:
    def __init__(self, rows: Tensor, words: List[int]):
        self.rows = rows
        self.words = words

    def extend(self, rows: Tensor) -> None:
        self.rows = torch.cat([self.rows, rows])
        self.words = self.words + [len(self.words)]


@family.on(*ROWS)
def rows_of_any_length(x: Tensor, n: Tensor):
    held: List[Held] = []
    for i in range(x.size(0)):
        held.append(Held(x[: i + 1], [i] * i))
    for one in held[1:]:
        one.extend(held[0].rows)
    total = torch.zeros(4)
    for one in held:
        total = total + one.rows.sum(0) * len(one.words)
    return total


@torch.jit.script
class Ranked:
    def __init__(self, place: Tensor, rank: int):
        self.place = place
        self.rank = rank

    def demote(self) -> None:
        self.rank += 2

    def __lt__(self, other: "Ranked") -> bool:
        return self.rank < other.rank


@family.on(*ROWS)
def compared(x: Tensor, n: Tensor):
    ranked = [Ranked(x[0], 5)]
    for i in range(int(n)):
        ranked.append(Ranked(x[-1] * i, 4 - i))
    ranked[int(n) // 2].demote()
    first = ranked[0]
    for one in ranked:
        if one < first:
            first = one
    return first.place, first.rank, ranked[0] < ranked[-1]
