// The commands with runs of task: images.
#include <doctest/doctest.h>
#include <png.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

const std::string& shapes() { return trained_on_images().run; }

// Writes a gray PNG; returns its path, quoted for a shell.
std::string png(const std::string& name, uint32_t side) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = side;
  image.format = PNG_FORMAT_GRAY;
  const std::vector<uint8_t> pixels(size_t{side} * side, 90);
  const std::string path = (trained_on_images().place / name).string();
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  REQUIRE(png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr) != 0);
  return "'" + path + "'";
}

// A folder with the classes of the drawn shapes.
std::string images_of_two_sizes() {
  for (const std::string label : {"cross", "disc", "square", "stripes"}) {
    png("sizes/" + label + "/1.png", 20);
    png("sizes/" + label + "/2.png", 9);
  }
  return trained_on_images().file("sizes");
}

TEST_CASE("classify prints one line per image: its file, and labels with their probabilities") {
  const std::string a = png("a.png", 16), b = png("b.png", 16);
  const CommandResult ran = run("calque classify " + shapes() + " " + a + " " + b);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(count_lines(ran.out) == 2);
  CHECK(ran.out.find("a.png\t") != std::string::npos);
  const CommandResult four =
      run("calque classify " + shapes() + " " + a + " --probabilities --top 9");
  for (const char* label : {"cross\t0.", "disc\t0.", "square\t0.", "stripes\t0."}) {
    CHECK_MESSAGE(four.out.find(label) != std::string::npos, four.out);
  }
}

TEST_CASE("an image of another size is resized to that of the run") {
  // Pictures of one gray are equal after they are resized.
  const std::string command = "calque classify " + shapes() + " --probabilities --top 4 ";
  const auto probabilities = [&](const std::string& image) {
    const CommandResult ran = run(command + image);
    CHECK_MESSAGE(ran.status == 0, ran.err);
    return ran.out.substr(ran.out.find('\t'));
  };
  CHECK(probabilities(png("small.png", 8)) == probabilities(png("a.png", 16)));
  CHECK(probabilities(png("large.png", 50)) == probabilities(png("a.png", 16)));
}

TEST_CASE("train resizes images of several sizes to data.image_size") {
  const Trained& plain = trained_on_images();
  const std::string folder = images_of_two_sizes(), sized = plain.file("sized");
  const std::string train = "calque train " + plain.file("config.yaml") + " --quiet --run " +
                            sized + " --set 'data.train={images: " + folder +
                            "}' --set 'data.validation={images: " + folder + "}'";
  check_refused(run(train), 1, "set data.image_size to convert them");
  const CommandResult trained = run(train + " --set data.image_size=12");
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  CHECK(run("grep -x 'size 12 12 1' " + sized + "/images.txt").status == 0);
  const CommandResult found = run("calque evaluate " + sized + " --images " + folder);
  CHECK_MESSAGE(found.out.find("sizes: 8 images\n") != std::string::npos, found.err);
}

TEST_CASE("classify refuses files that are not images, and images for a run of another task") {
  check_refused(run("calque classify " + shapes() + " /dev/null"), 1, "/dev/null");
  check_refused(run("calque classify " + shapes() + " /nosuch.png"), 1, "/nosuch.png");
  check_refused(run("calque classify " + shapes()), 2, "name image files after the run");
  check_refused(run("calque classify " + trained_classifier().run + " " + png("a.png", 16)), 1,
                "IMAGE needs a run of task: images; ");
}

TEST_CASE("evaluate measures a classifier on a split or a folder of images") {
  const CommandResult split =
      run("calque evaluate " + shapes() + " --split validation --samples 1");
  REQUIRE_MESSAGE(split.status == 0, split.err);
  for (const char* part :
       {"  shapes, image 1\n  = ", "shapes: 20 images\n", "accuracy ", "macro F1 ", "precision"}) {
    CHECK_MESSAGE(split.out.find(part) != std::string::npos, split.out);
  }
  png("folder/disc/a.png", 16);
  png("folder/cross/a.png", 16);
  const std::string folder = trained_on_images().file("folder");
  const CommandResult ran = run("calque evaluate " + shapes() + " --images " + folder);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.find("folder: 2 images\n") != std::string::npos);
  png("other/zebra/a.png", 16);
  check_refused(
      run("calque evaluate " + shapes() + " --images " + trained_on_images().file("other")), 1,
      "other, image 1: the label 'zebra' does not occur in the training data");
}

TEST_CASE("explain draws the attention of every head over the image, or writes it as numbers") {
  const std::string a = png("a.png", 16);
  const CommandResult page = run("calque explain " + shapes() + " " + a + " --out -");
  REQUIRE_MESSAGE(page.status == 0, page.err);
  for (const char* part : {"<title>a.png</title>", "<td>stripes</td>",
                           "Layer 1: attention of the "
                           "token that is classified",
                           "head 2"}) {
    CHECK_MESSAGE(page.out.find(part) != std::string::npos, page.out);
  }
  CHECK(page.out.find("{{") == std::string::npos);
  const CommandResult numbers = run("calque explain " + shapes() + " " + a + " --json");
  REQUIRE_MESSAGE(numbers.status == 0, numbers.err);
  CHECK(numbers.out.find("\"attention\":[[[") != std::string::npos);
  check_refused(run("calque explain " + shapes() + " /nosuch.png"), 1, "/nosuch.png");
}

TEST_CASE(
    "an imported Vision Transformer classifies like the exported run and keeps its pixel scale") {
  const Trained& plain = trained_on_images();
  const std::string own = plain.file("vit"), folder = plain.file("vit-huggingface"),
                    imported = plain.file("vit-imported"), tuned = plain.file("vit-tuned");
  const CommandResult trained =
      run("calque train " + plain.file("config.yaml") + " --quiet --run " + own +
          " --set model.pooling=cls --set model.norm=pre");
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  REQUIRE(run("calque export " + own + " huggingface --out " + folder).status == 0);
  const CommandResult made = run("calque import " + folder + " --run " + imported);
  REQUIRE_MESSAGE(made.status == 0, made.err);
  const auto classify = [image = png("a.png", 16)](const std::string& place) {
    return run("calque classify " + place + " " + image + " --probabilities --top 4");
  };
  const CommandResult theirs = classify(imported);
  CHECK_MESSAGE(theirs.status == 0, theirs.err);
  CHECK(theirs.out == classify(own).out);
  // Fine-tuned and resumed on other images, which have another mean.
  for (const char* until : {"2u", "4u"}) {
    const CommandResult training =
        run("calque train " + imported + "/finetune.yaml --quiet --run " + tuned +
            " --set 'data.train={toy: shapes, pairs: 10, seed: 5}'"
            " --set training.until=" +
            until);
    CHECK_MESSAGE(training.status == 0, training.err);
    CHECK(run("diff " + own + "/images.txt " + tuned + "/images.txt").status == 0);
  }
  const CommandResult of_two_sizes = run(
      "calque train " + imported + "/finetune.yaml --quiet --run " + tuned +
      "-sizes --set 'data.train={images: " + images_of_two_sizes() + "}' --set training.until=1u");
  CHECK_MESSAGE(of_two_sizes.status == 0, of_two_sizes.err);
  CHECK(run("diff " + own + "/images.txt " + tuned + "-sizes/images.txt").status == 0);
  const std::string again = plain.file("vit-again");
  REQUIRE(run("calque export " + imported + " huggingface --out " + again).status == 0);
  CHECK(run("diff -r " + folder + " " + again).status == 0);
}

TEST_CASE("data check counts the images of each class; train refuses a patch that does not fit") {
  const std::string config = trained_on_images().file("config.yaml");
  const CommandResult ran = run("calque data check " + config);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(ran.out.find("train: 200 images of 16 x 16 pixels with 1 channels\n  cross: ") !=
        std::string::npos);
  check_refused(run("calque train " + config + " --dry-run --set model.patch=5"), 1,
                "model.patch: 5 does not divide the images of 16 x 16 pixels");
  check_refused(run("calque train " + config + " --dry-run --set tokenizer.kind=words"), 1,
                "tokenizer.kind: is not used by task: images");
}

}  // namespace
}  // namespace calque
