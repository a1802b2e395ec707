"""What training rests on, without photos."""

import csv
import json
import sys
import tempfile
import unittest
from argparse import Namespace
from pathlib import Path

import numpy as np
import torch
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[3] / "models" / "training"))

import augment  # noqa: E402
import calibrate  # noqa: E402
import colours  # noqa: E402
import data  # noqa: E402
import doubts  # noqa: E402
import export  # noqa: E402
import from_onnx  # noqa: E402
import grounds  # noqa: E402
import inlays  # noqa: E402
import loss  # noqa: E402
import mix  # noqa: E402
import narrow  # noqa: E402
import net  # noqa: E402
import photos  # noqa: E402
import scenes  # noqa: E402
import start  # noqa: E402
import studio  # noqa: E402
import tasks  # noqa: E402
import train  # noqa: E402

torch.set_num_threads(1)


class Decks(unittest.TestCase):
    def test_a_deck_deals_all_before_one_comes_again_wherever_it_begins(self):
        deck = tasks.Deck(list(range(7)), seed=3)
        dealt = deck.deal(0, 21)
        for around in range(3):
            self.assertEqual(sorted(dealt[7 * around : 7 * around + 7]), list(range(7)))
        self.assertEqual(deck.deal(5, 9), dealt[5:14])


class Pictures(unittest.TestCase):
    def test_a_shadow_does_not_come_in_again_at_the_other_side(self):
        planes = torch.zeros(1, 1, 8, 8)
        planes[..., 6:, :] = 1
        moved = augment.shifted(planes, 3, 0)
        self.assertEqual(float(moved.sum()), 0)
        self.assertEqual(float(augment.shifted(planes, 1, 2)[0, 0, 7, 2:].sum()), 6)

    def test_composites_are_the_same_for_the_same_seed_and_keep_their_cut_outs(self):
        cutouts = torch.zeros(6, 64, 64, 4, dtype=torch.uint8)
        cutouts[:, 16:48, 16:48] = torch.tensor([200, 40, 40, 255], dtype=torch.uint8)
        make = lambda seed: augment.composites(np.random.default_rng(seed), cutouts, None, 64)
        (x, alpha), (again, _), (other, _) = make(1), make(1), make(2)
        self.assertTrue(torch.equal(x, again))
        self.assertFalse(torch.equal(x, other))
        inside = alpha > 0.99
        red, green = x[:, :1][inside], x[:, 1:2][inside]
        self.assertTrue(bool((red > green).all()))

    def test_the_subjects_colours_have_nothing_of_the_backdrop(self):
        alpha = torch.zeros(1, 96, 96)
        alpha[:, :, :48] = 1
        alpha[:, :, 44:52] = torch.linspace(1, 0, 8)
        own, behind = (
            torch.tensor([0.9, 0.1, 0.1]).view(3, 1, 1),
            torch.tensor([0.1, 0.1, 0.9]).view(3, 1, 1),
        )
        photo = own * alpha + behind * (1 - alpha)
        fore = colours.subject_colours(photo, alpha)
        edge = (alpha > 0.2).expand(3, 96, 96)
        before = (photo - own).abs()[edge].mean()
        self.assertLess(float((fore - own).abs()[edge].mean()), 0.35 * float(before))

    def test_islands_go_and_large_parts_stay(self):
        alpha = torch.zeros(1, 80, 80)
        alpha[:, 10:40, 10:40] = 1
        alpha[:, 60:78, 10:40] = 1
        alpha[:, 5:8, 70:73] = 1
        kept = colours.without_islands(alpha)
        self.assertEqual(float(kept[:, 5:8, 70:73].sum()), 0)
        self.assertEqual(float(kept.sum()), 30 * 30 + 18 * 30)


def person_on_white(side: int) -> scenes.Subject:
    """A red block that the bottom of the photo cuts."""
    alpha = torch.zeros(1, side, side)
    alpha[:, side // 4 :, side // 3 : -side // 3] = 1
    colours = torch.tensor([0.8, 0.2, 0.2]).view(3, 1, 1).expand(3, side, side)
    return scenes.Subject(colours, alpha, torch.ones_like(alpha))


class Doubts(unittest.TestCase):
    def settled(self, hole: int, side: int):
        matte = np.zeros((240, 240), np.uint8)
        matte[40:200, 40:200] = 255
        matte[100 : 100 + side, 100 : 100 + side] = hole
        return doubts.settled(matte, np.full_like(matte, 255))

    def test_a_doubt_within_the_subject_becomes_solid(self):
        matte, trust = self.settled(128, 40)
        self.assertTrue((matte[40:200, 40:200] == 255).all())
        self.assertTrue((matte[:40] == 0).all() and (trust == 255).all())

    def test_a_thin_gap_is_not_trusted_and_a_wide_one_stays(self):
        matte, trust = self.settled(0, 8)
        self.assertEqual((matte[104, 104], trust[104, 104], trust[60, 60]), (0, 0, 255))
        matte, trust = self.settled(0, 40)
        self.assertEqual(matte[120, 120], 0)
        self.assertTrue((trust == 255).all())

    def test_the_worst_of_a_picture_counts_where_it_is_plain(self):
        matte = torch.zeros(1, 1, 96, 96)
        matte[..., 24:72, 24:72] = 1
        right, trust = 10 * (2 * matte - 1), torch.ones_like(matte)
        holed, ragged = right.clone(), right.clone()
        holed[..., 46:50, 46:50] = -10
        ragged[..., 24:26, 24:72] = -10
        of = lambda logits: float(loss.worst_loss(logits, matte, trust))
        self.assertLess(of(right), 0.01)
        self.assertLess(of(ragged), 0.01)
        self.assertGreater(of(holed), 1)
        self.assertLess(float(loss.worst_loss(holed, matte, 0 * trust)), 0.01)


class Scenes(unittest.TestCase):
    def test_scenes_are_the_same_for_the_same_seed_and_their_mattes_are_those_of_the_subject(self):
        subject = person_on_white(96)
        make = lambda seed: scenes.scene(np.random.default_rng(seed), subject, subject, None, 64)
        for one, again in zip(make(1), make(1)):
            self.assertTrue(torch.equal(one, again))
        self.assertFalse(torch.equal(make(1)[0], make(2)[0]))
        for seed in range(12):
            x, alpha, trust = make(seed)
            self.assertEqual((x.shape, alpha.shape, trust.shape), ((3, 64, 64), (1, 64, 64), (1, 64, 64)))
            self.assertTrue(bool(torch.isfinite(x).all()))
            self.assertGreater(float(trust.min()), 0.999)
            self.assertGreater(float(alpha.mean()), 0)

    def test_what_the_frame_cuts_stays_cut(self):
        subject = person_on_white(96)
        self.assertEqual(subject.cut(), [False, False, False, True])
        for seed in range(20):
            rng = np.random.default_rng(seed)
            frame = scenes.whole_frame(rng, subject.box(), subject.cut())
            alpha = scenes.shown(rng, subject, frame, 64, turn=0)[3]
            self.assertGreater(float(alpha[-1].max()), 0.5)

    def test_a_subject_that_is_cut_throws_no_shadow_on_a_floor_and_one_that_stands_does(self):
        cut = person_on_white(96).alpha
        stands = cut.clone()
        stands[:, 80:] = 0
        rng = np.random.default_rng(1)
        self.assertEqual(float(grounds.floor_shadow(rng, cut).max()), 0)
        shadow = grounds.floor_shadow(rng, stands)
        self.assertGreater(float(shadow[0, 79].max()), 0.8)
        self.assertLess(float(shadow[0, :40].max()), 0.01)

    def test_a_gap_shows_the_ground_and_an_inlay_is_subject_in_its_colour(self):
        alpha = person_on_white(192).alpha
        colours, under = torch.zeros(3, 192, 192), torch.full((3, 192, 192), 0.8)
        for seed in range(20):
            rng = np.random.default_rng(seed)
            holed = inlays.with_gaps(rng, alpha)
            self.assertLess(float(holed.sum()), float(alpha.sum()))
            self.assertTrue(bool((holed <= alpha).all()))
            pale = inlays.inlaid(rng, colours, alpha, under).mean(0, keepdim=True) > 0.1
            self.assertGreater(int(pale.sum()), 0)
            self.assertFalse(bool((pale & (alpha < 0.5)).any()))

    def test_people_on_other_grounds_are_not_taken_along_with_their_edges(self):
        task = tasks.CutOutTask.__new__(tasks.CutOutTask)
        task.mattes, task.trust = torch.zeros(2, 1, 32, 32, dtype=torch.uint8)
        task.mattes[:, 8:24, 8:24], task.trust[:] = 255, 255
        task.photos = torch.zeros(1, 32, 32, 3, dtype=torch.uint8)
        taken = task.subject(0).alpha[0] > 0.5
        self.assertEqual((int(taken.any(0).sum()), int(taken.any(1).sum())), (12, 12))


class Drawn(unittest.TestCase):
    def test_drawn_goods_are_read_and_change_nothing_about_which_products_are_held_out(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            items = [
                {"kind": "drawn-bag", "image": f"bag-{n}.jpg", "mask": f"bag-{n}.png"}
                for n in range(20)
            ]
            (folder / "manifest.json").write_text(json.dumps({"items": items}))
            goods = photos.read_drawn(folder)
        self.assertEqual((goods[3].alpha.name, goods[3].sku), ("bag-3.png", "bag-3"))
        self.assertEqual(goods[3].department, photos.DRAWN)
        shop = [
            photos.StorePhoto(Path("a"), Path("b"), None, f"S{n}", "Men", "main") for n in range(30)
        ]
        options = Namespace(held=None, share=0.1, store_share=0.2, seed=3)
        alone, both = (
            set(data.held_of(options, of, [], [])["products"]) for of in (shop, shop + goods)
        )
        self.assertEqual({sku for sku in both if sku.startswith("S")}, alone)
        self.assertEqual(len(both - alone), 4)


def write_store(folder: Path) -> None:
    """Two products before white, one of them in two colours."""
    with (folder / "store.csv").open("w", newline="") as out:
        names = "file,sku,name,department,view,shot,trusted,alpha,ignore,matteFrom,licence"
        table = csv.DictWriter(out, names.split(","))
        table.writeheader()
        for name, sku, level in (("a-red", "A", 40), ("a-blue", "A", 90), ("b-red", "B", 140)):
            pixels, alpha = np.full((60, 48, 3), 255, np.uint8), np.zeros((60, 48), np.uint8)
            pixels[15:, 12:36], alpha[15:, 12:36] = level, 255
            Image.fromarray(pixels).save(folder / f"{name}.png")
            Image.fromarray(alpha).save(folder / f"{name}_alpha.png")
            table.writerow(
                {
                    "file": f"{name}.png",
                    "sku": sku,
                    "department": "Men > Tops",
                    "view": "main",
                    "trusted": 1,
                    "alpha": f"{name}_alpha.png",
                }
            )


class Studio(unittest.TestCase):
    def test_photos_are_the_same_for_the_same_seed_and_keep_their_mattes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_store(folder)
            written = []
            for seed, out in ((1, "one"), (1, "again"), (2, "other")):
                options = Namespace(
                    store=folder, only=None, limit=2, made="", seed=seed, out=folder / out
                )
                studio.make(options)
                items = json.loads((folder / out / "manifest.json").read_text())["items"]
                written.append(items)
            self.assertEqual(written[0], written[1])
            self.assertNotEqual(written[0], written[2])
            # Both products, before the second colour of one.
            self.assertEqual({item["sku"] for item in written[0]}, {"A", "B"})
            self.assertEqual({item["kind"] for item in written[0]}, {"studio-model"})
            item = written[0][0]
            given = folder / f"{item['image'].rsplit('-', 1)[0]}_alpha.png"
            wanted, found = Image.open(given), Image.open(folder / "one" / item["mask"])
            self.assertEqual(wanted.tobytes(), found.tobytes())


class Labels(unittest.TestCase):
    def test_near_edges_the_teacher_leads_and_elsewhere_the_human(self):
        label, teacher = np.zeros((64, 64), np.uint8), np.zeros((64, 64), np.uint8)
        label[:, 32:] = 255
        # Two pixels of the edge are the teacher's, a blot far from it is nobody's.
        teacher[:, 34:] = 255
        teacher[10:14, 4:8] = 255
        matte, trust = data.second_opinion(label, teacher)
        self.assertEqual(matte[40].tolist(), teacher[40].tolist())
        self.assertEqual(int(matte[12, 5]), 0)
        self.assertLess(int(trust[12, 5]), 128)
        self.assertEqual(int(trust[40].min()), 255)

    def test_a_limb_the_teacher_does_not_see_stays_with_little_trust(self):
        label, teacher = np.zeros((64, 64), np.uint8), np.zeros((64, 64), np.uint8)
        label[10:50, 20:44] = 255
        matte, trust = data.second_opinion(label, teacher)
        self.assertEqual(matte.tolist(), label.tolist())
        self.assertLess(int(trust[label > 0].max()), 128)


class FarAway(unittest.TestCase):
    def test_a_subject_far_away_is_small_and_whole_unless_its_photo_cuts_it(self):
        rng, box = np.random.default_rng(1), [-0.5, -0.2, 0.1, 0.6]
        for _ in range(50):
            left, top, right, bottom = scenes.far_frame(rng, box, [False] * 4)
            self.assertTrue(left < box[0] and top < box[1] and right > box[2] and bottom > box[3])
            self.assertLess(0.6 * 0.8, 0.45 * (right - left) * (bottom - top))
            near = scenes.far_frame(rng, box, [True, False, False, False])
            self.assertGreaterEqual(min(near), -1)


class Networks(unittest.TestCase):
    def test_frozen_blocks_are_not_trained_and_the_others_are(self):
        network = net.CutOut()
        train.freeze(network, 2)
        frozen = {name for name, part in network.named_parameters() if not part.requires_grad}
        self.assertTrue(frozen)
        self.assertTrue(all(name.startswith(("enc.stem", "enc.blocks.0", "enc.blocks.1.")) for name in frozen))
        groups = train.optimiser_of(network, {"enc": 1.0, "rest": 1.0}, 1.0, 3.0).param_groups
        self.assertEqual([group["lr"] for group in groups], [3.0, 1.0])
        left = len(list(network.parameters())) - len(frozen)
        self.assertEqual(sum(len(group["params"]) for group in groups), left)

    def test_every_other_update_by_a_batch_sees_it_mirrored(self):
        planes, ids = torch.arange(8.0).view(1, 2, 2, 2), torch.tensor([[1, 2, 3]])
        flipped, same = train.mirrored([planes, ids])
        self.assertEqual(flipped[0, 0].tolist(), [[1.0, 0.0], [3.0, 2.0]])
        self.assertTrue(same is ids)
        seen = []
        run = train.Run.__new__(train.Run)
        run.options = Namespace(echoes=3, seed=1, steps=10, device="cpu")
        run.optimiser, run.step = Namespace(param_groups=[]), 4
        run.task, run.net = Namespace(WARM_UP=1), torch.nn.Identity()
        run.update = lambda rng, parts: seen.append(parts[0][0, 0].tolist()) or torch.tensor(float(len(seen)))
        self.assertEqual(run.learn(None, [planes]), 1.0)
        self.assertEqual(seen, [[[0.0, 1.0], [2.0, 3.0]], flipped[0, 0].tolist(), [[0.0, 1.0], [2.0, 3.0]]])
        self.assertEqual(run.step, 5)

    def test_between_two_checkpoints_what_is_new_fades_in(self):
        torch.manual_seed(1)
        second = net.CutOut().state_dict()
        first = {k: v + 1 for k, v in second.items() if "added" not in k}
        half = mix.mixed(first, second, 0.5)
        torch.testing.assert_close(half["out.b"], second["out.b"] + 0.5)
        torch.testing.assert_close(half["r4.added.v"], second["r4.added.v"] / 2)
        torch.testing.assert_close(half["out.sc"], second["out.sc"])
        for share, wanted in ((0, first), (1, second)):
            found = mix.mixed(first, second, share)
            trained = {k: v for k, v in wanted.items() if not k.endswith(".sc")}
            for key, value in trained.items():
                torch.testing.assert_close(found[key], value)

    def test_second_looks_change_little_at_first_and_are_trained(self):
        torch.manual_seed(3)
        network = net.CutOut()
        x = torch.rand(2, 3, 64, 64)
        seen = network(x).detach()
        looks = [part for part in network.modules() if isinstance(part, net.Further)]
        self.assertEqual(len(looks), 5)
        network(x).square().mean().backward()
        self.assertTrue(all(float(look.added.v.grad.abs().max()) > 0 for look in looks))
        for look in looks:
            look.added.v.data.zero_()
        once = network(x).detach()
        self.assertGreater(float((seen - once).abs().max()), 0)
        self.assertLess(float((seen - once).abs().mean()), 0.25 * float(once.std()))

    def read_back(self, network: net.CutOut) -> None:
        for path, between in narrow.BETWEEN.items():
            net.put(network, path, net.narrow(network.get_submodule(path), between))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            torch.save({"average": network.state_dict()}, folder / "a.pt")
            options = Namespace(
                net="garment-cutout", checkpoint=folder / "a.pt", temperature=1.3, out=folder / "a"
            )
            model = export.traced(options, 64, *export.SHAPES["garment-cutout"][1:])
        other = net.CutOut().eval()
        from_onnx.put_in(other, model)
        x = torch.rand(2, 3, 64, 64)
        with torch.no_grad():
            torch.testing.assert_close(other(x), network(x) / 1.3, atol=1e-4, rtol=1e-3)
        self.assertLess(from_onnx.farthest("garment-cutout", other, model), from_onnx.FARTHEST)

    def test_what_was_exported_is_read_back(self):
        torch.manual_seed(1)
        network = net.CutOut().eval()
        network.r0.out.v.data.normal_()
        self.read_back(network)

    def test_one_that_looks_around_is_read_back_and_begins_near_what_it_was(self):
        torch.manual_seed(1)
        network, x = net.CutOut().eval(), torch.rand(2, 3, 64, 64)
        before = network.levels(x)[2].detach()
        network.look_around()
        after = network.levels(x)[2].detach()
        self.assertLess(float((after - before).abs().mean()), 0.5 * float(before.std()))
        self.assertEqual(network(x).shape, (2, 1, 64, 64))
        # Logits as small as those of a trained one.
        network.a1.v.data.mul_(0.2)
        self.read_back(network)

    def test_a_narrowed_network_answers_nearly_as_before_and_is_read_back(self):
        torch.manual_seed(1)
        wide, x = net.CutOut().eval(), torch.rand(2, 3, 64, 64)
        # What is trained has fewer directions than channels; so have these.
        for path, between in narrow.BETWEEN.items():
            conv = wide.get_submodule(path)
            few = torch.einsum("ob,bikl->oikl", torch.randn(len(conv.v), between), conv.v[:between])
            conv.set(few.detach(), conv.b.detach())
        thin = narrow.narrowed(wide, x)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "narrow.pt"
            torch.save({"average": thin.state_dict()}, file)
            again = net.checkpoint_of("garment-cutout", file)
            torch.save({"average": wide.state_dict()}, file)
            same = net.checkpoint_of("garment-cutout", file)
        with torch.no_grad():
            wanted, found = wide(x), thin(x)
            torch.testing.assert_close(again(x), found)
            torch.testing.assert_close(same(x), wanted)
        self.assertLess(float((found - wanted).abs().mean()), 0.01 * float(wanted.std()))
        weights = [sum(w.numel() for w in each.parameters()) for each in (wide, thin)]
        self.assertLess(weights[1], weights[0])

    def test_the_loss_is_least_where_the_answer_is_right(self):
        matte = torch.zeros(1, 1, 32, 32)
        matte[..., 8:24, 8:24] = 1
        small = [torch.nn.functional.adaptive_avg_pool2d(matte, n) for n in (16, 4)]
        levels = lambda sign: tuple((m * 2 - 1) * 8 * sign for m in (matte, *small))
        trust = torch.ones_like(matte)
        right, wrong = (float(loss.matte_loss(levels(sign), matte, trust)) for sign in (1, -1))
        self.assertLess(right, 0.25)
        self.assertGreater(wrong, 10 * right)

    def test_pixels_that_are_not_trusted_do_not_count(self):
        matte, trust = torch.zeros(1, 1, 32, 32), torch.ones(1, 1, 32, 32)
        trust[..., 16:] = 0
        answer = torch.full((1, 1, 32, 32), -8.0)
        answer[..., 20:] = 8
        levels = (answer, *(torch.nn.functional.adaptive_avg_pool2d(answer, n) for n in (16, 4)))
        self.assertLess(float(loss.matte_loss(levels, matte, trust)), 0.2)

    def test_exact_mattes_count_more_along_the_frame_and_not_where_they_are_unknown(self):
        matte, trust = torch.zeros(1, 1, 80, 80), torch.ones(1, 1, 80, 80)
        matte[..., 20:60, :40] = 1
        answer = lambda wrong: torch.where(wrong, 1 - matte, matte) * 40 - 20
        everything = torch.zeros(1, 1, 80, 80, dtype=torch.bool)
        cut, inner = everything.clone(), everything.clone()
        cut[..., 36:40, :4], inner[..., 36:40, 10:14] = True, True
        right, at_frame, inside = (
            float(loss.exact_loss(answer(wrong), matte, trust))
            for wrong in (everything, cut, inner)
        )
        self.assertLess(right, 1e-4)
        self.assertGreater(at_frame, 1.5 * inside)
        trust[..., 30:46, :10] = 0
        self.assertLess(float(loss.exact_loss(answer(cut), matte, trust)), 0.02 * at_frame)

    def test_torchvisions_weights_give_the_same_features(self):
        torch.manual_seed(0)
        state = torchvision_state()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mobilenet_v2.pth"
            torch.save(state, file)
            network = net.Classifier().eval()
            fresh = start.start_from(network, file)
        self.assertEqual(fresh, ["fc.bias", "fc.weight"])
        stem = network.enc.stem[0]
        x = torch.rand(1, 3, 32, 32)
        mean, std = (torch.tensor(t).view(1, 3, 1, 1) for t in (start.MEAN, start.STD))
        norm = {
            k: state[f"features.0.1.{k}"] for k in ("running_mean", "running_var", "weight", "bias")
        }
        raw = torch.nn.functional.conv2d((x - mean) / std, state["features.0.0.weight"], None, 2, 1)
        wanted = torch.nn.functional.batch_norm(raw, **norm)
        # At the border padding is grey here and the mean colour there.
        inner = (stem.linear(x * 2 - 1) - wanted)[..., 1:, 1:].abs().max()
        self.assertLess(float(inner.detach()), 1e-4)

    def test_temperature_mends_confidence(self):
        torch.manual_seed(1)
        truth = torch.randn(4000, 10) * 1.5
        named = torch.multinomial(torch.softmax(truth, 1), 1)
        labels = torch.zeros_like(truth, dtype=torch.bool).scatter(1, named, True)
        self.assertAlmostEqual(calibrate.best_temperature(truth * 2, labels), 2.0, delta=0.15)
        sure = calibrate.calibration_error(torch.softmax(truth * 2, 1), labels)
        mended = calibrate.calibration_error(torch.softmax(truth, 1), labels)
        self.assertLess(mended, sure / 3)


def torchvision_state() -> dict[str, torch.Tensor]:
    """Random weights under torchvision's names, in its order."""
    state: dict[str, torch.Tensor] = {}

    def add(name: str, conv: net.Conv) -> None:
        stem, number = name.rsplit(".", 1)
        outputs = conv.v.shape[0]
        state[f"{name}.weight"] = torch.randn_like(conv.v) * 0.2
        for key in ("weight", "bias", "running_mean", "running_var"):
            state[f"{stem}.{int(number) + 1}.{key}"] = torch.rand(outputs) + 0.1

    encoder = net.Classifier().enc
    add("features.0.0", encoder.stem[0])
    add("features.1.conv.0.0", encoder.stem[1])
    add("features.1.conv.1", encoder.stem[2])
    for i, block in enumerate(encoder.blocks, 2):
        for name, conv in zip(("conv.0.0", "conv.1.0", "conv.2"), block.c):
            add(f"features.{i}.{name}", conv)
    add("features.18.0", encoder.tail)
    return state


if __name__ == "__main__":
    unittest.main()
